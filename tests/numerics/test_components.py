"""Components of edges that come in parts are those of all edges at once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csgraph

from tsrp.numerics.components import Components, adjacency

edges = st.lists(st.tuples(st.integers(0, 19), st.integers(0, 19)), max_size=40)


def together(labels):
    return labels[:, None] == labels


@given(edges, st.integers(1, 5))
def test_parts_join_what_all_edges_join(drawn, n_parts):
    pairs = np.array(drawn, dtype=int).reshape(-1, 2)
    _, expected = csgraph.connected_components(adjacency(20, *pairs.T), directed=False)
    components = Components(20)
    for part in np.array_split(pairs, n_parts):
        components.join(*part.T)
    np.testing.assert_array_equal(together(components.labels), together(expected))
    again = Components(20)
    again.join(*components.edges())
    np.testing.assert_array_equal(together(again.labels), together(expected))
