"""What is inside of a fitted projection."""

from tsrp.base.maps import Chain, LinearMap


def linear_weights(model):
    """The weights of the linear map that a fitted model projects with, in the end."""
    mapping = model.mapping_
    last = mapping.maps[-1] if isinstance(mapping, Chain) else mapping
    assert isinstance(last, LinearMap)
    return last.weights
