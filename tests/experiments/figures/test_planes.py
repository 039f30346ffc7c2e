"""The planes show both domains, and say which task they are of."""

import pytest

from tsrp.experiments.figures import planes

pytestmark = pytest.mark.xdist_group("figures")


def test_the_planes_show_both_domains_of_every_method(drawn):
    titles = [axes.get_title() for axes in drawn["planes"].axes]
    assert [title.split(":")[0] for title in titles] == ["JDA", "JDA+TSRP", "DICD", "DICD+TSRP"]
    for axes in drawn["planes"].axes:
        assert [len(points.get_offsets()) for points in axes.collections] == [60, 60]


@pytest.mark.parametrize(
    ("there", "end"),
    [
        ({"decaf6", "mobilenetv2"}, "A → D, of at most 500 samples of each domain."),
        (
            {"mobilenetv2", "surf"},
            "DeCAF6, A → D, which is not on this disk: these are the same photographs in other features.",
        ),
        (set(), "DeCAF6, A → D, which is not on this disk: these are the embedded digits."),
    ],
    ids=["the paper's", "other features", "digits"],
)
def test_the_caption_says_why_it_is_not_the_papers_task(on_disk, nowhere, there, end):
    on_disk(lambda dataset, task: dataset.removeprefix("office-caltech-") in there)
    caption = planes.caption({}, nowhere)
    assert caption.endswith(end)
    assert ("MobileNetV2" in caption) == (there == {"mobilenetv2", "surf"})
