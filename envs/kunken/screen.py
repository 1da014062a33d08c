"""A deal of Kunken on one readable screen."""


def text(state, viewer, reveal):
    return ""


def remark(state):
    return ""
