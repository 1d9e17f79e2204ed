#!/usr/bin/env python3
"""Writes the outlines of a font's characters that charts use, for `plots::outlines`.

    python3 outlines.py DejaVuSans.ttf > DejaVuSans.outlines     (needs fontTools)

One line a character: the character, its advance and its path in SVG's relative commands, in thousandths
of the font's size, downward. The last one stands for all that the font does not have.
"""
import sys

from fontTools.pens.basePen import decomposeQuadraticSegment
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont

RANGES = [(0x20, 0x7E), (0xA0, 0x17F), (0x391, 0x3A1), (0x3A3, 0x3C9), (0x2010, 0x2027), (0x2030, 0x2030),
          (0x2190, 0x2193), (0x2212, 0x2212), (0x2264, 0x2265), (0xFFFD, 0xFFFD)]

font = TTFont(sys.argv[1])
glyphs, names, size = font.getGlyphSet(), font.getBestCmap(), font["head"].unitsPerEm


def path(glyph):
    pen = DecomposingRecordingPen(glyphs)
    glyph.draw(pen)
    at = start = (0, 0)
    parts = []

    def step(letter, *points):
        nonlocal at
        whole = [(round(x * 1000 / size), -round(y * 1000 / size)) for x, y in points]
        numbers = [str(n) for x, y in whole for n in (x - at[0], y - at[1])]
        parts.append(letter + " ".join(numbers).replace(" -", "-"))
        at = whole[-1]

    for name, points in pen.value:
        if name == "moveTo":
            step("m", *points)
            start = at
        elif name == "lineTo":
            step("l", *points)
        elif name == "qCurveTo":
            for pair in decomposeQuadraticSegment(points):
                step("q", *pair)
        else:
            parts.append("z")
            at = start
    return "".join(parts)


for character in (code for first, last in RANGES for code in range(first, last + 1)):
    if character in names:
        glyph = glyphs[names[character]]
        print(f"{chr(character)} {round(glyph.width * 1000 / size)} {path(glyph)}")
