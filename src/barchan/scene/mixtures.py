"""Mixtures: a group of several kinds of grains, which stand among a scene's groups one by one."""

from __future__ import annotations

from collections.abc import Sequence

from barchan.scene.grains import GrainGroup, Part


def parted(groups: Sequence[GrainGroup]) -> tuple[GrainGroup, ...]:
    """The groups with every mixture replaced by its parts, in order: groups of their own that share its fill."""
    found: list[GrainGroup] = []
    for group in groups:
        if group.mix is None or group.part is not None:
            found.append(group)
            continue
        materials = [part.material or group.material for part in group.mix]
        told = materials if len(set(materials)) == len(materials) else [str(k + 1) for k in range(len(materials))]
        for number, words in enumerate(told):
            one = group.kind(number).model_copy(update={"name": f"{group.name}: {words}"})
            one._part = Part(group, number)
            found.append(one)
    return tuple(found)


def whole(groups: Sequence[GrainGroup]) -> list[GrainGroup]:
    """The groups as a scene states them: every mixture once."""
    firsts = (one for one in groups if one.part is None or one.part.number == 0)
    return [one if one.part is None else one.part.whole for one in firsts]


def batches(groups: Sequence[GrainGroup]) -> list[list[int]]:
    """Indices of groups, those of a mixture together."""
    found: list[list[int]] = []
    for index, group in enumerate(groups):
        if group.part is not None and group.part.number > 0:
            found[-1].append(index)
        else:
            found.append([index])
    return found


def places(groups: Sequence[GrainGroup]) -> list[str]:
    """Where in the scene each group is stated: `grains[1]`, `grains[1].mix[0]`."""
    found = []
    for stated, batch in enumerate(batches(groups)):
        mixed = groups[batch[0]].part is not None
        found += [f"grains[{stated}].mix[{k}]" if mixed else f"grains[{stated}]" for k in range(len(batch))]
    return found
