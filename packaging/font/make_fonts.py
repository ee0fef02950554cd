#!/usr/bin/env python3
"""Makes Headway Sans, the tabular subset of Inter that the window uses, and its Qt resource file.

usage: make_fonts.py OUTPUT_FOLDER

Inter's digits differ in width and Qt 6.4 can't switch on tabular figures. So the glyphs of the
font's `tnum` feature become the digits, comma, full stop and colon of a smaller font. Inter is under
the OFL 1.1, whose text is put beside the fonts; the name is changed because "Inter" is a trademark.

Needs Debian's fonts-inter and the Python package fonttools, which is installed into the output
folder if it isn't there. Where either can't be had the resource file stays empty, and the window
uses the system's font.
"""

import importlib
import pathlib
import subprocess
import sys

FONTTOOLS = "fonttools==4.68.0"
FAMILY = "Headway Sans"
SOURCE = pathlib.Path("/usr/share/fonts/opentype/inter")
LICENCE = pathlib.Path("/usr/share/doc/fonts-inter/copyright")
WEIGHTS = {"Regular": 400, "Medium": 500, "SemiBold": 600}
# Latin with accents, punctuation, currency, arrows, the signs of numbers, and bullets.
CHARACTERS = [range(0x20, 0x7F), range(0xA0, 0x180), range(0x2010, 0x2028), range(0x2030, 0x203B),
              [0x2044, 0x20AC], range(0x2070, 0x2090), range(0x2190, 0x219A),
              [0x2206, 0x2211, 0x2212, 0x2215, 0x221A, 0x221E, 0x2248, 0x2260, 0x2264, 0x2265],
              [0x25CF, 0x25CB, 0x25B2, 0x25BC, 0x2713, 0x2717]]
TABULAR = "0123456789,.:"


def load_fonttools(folder: pathlib.Path) -> None:
    packages = folder / "python"
    sys.path.insert(0, str(packages))
    try:
        importlib.import_module("fontTools.subset")
        return
    except ImportError:
        pass
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile",
               "--disable-pip-version-check", "--root-user-action", "ignore", "--timeout", "15", "--retries", "1",
               "--target", str(packages), FONTTOOLS]
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode != 0:
        raise ImportError("fonttools could not be installed")
    importlib.invalidate_caches()
    importlib.import_module("fontTools.subset")


def tabular_names(font) -> dict[str, str]:
    """Glyph names that the tnum feature puts in place of others."""
    table = font["GSUB"].table
    lookups = {index for record in table.FeatureList.FeatureRecord if record.FeatureTag == "tnum"
               for index in record.Feature.LookupListIndex}
    mapping: dict[str, str] = {}
    for index in sorted(lookups):
        for part in table.LookupList.Lookup[index].SubTable:
            mapping.update(getattr(getattr(part, "ExtSubTable", part), "mapping", {}))
    return mapping


def map_tabular(font) -> None:
    replaced = tabular_names(font)
    changed = 0
    for cmap in font["cmap"].tables:
        if not cmap.isUnicode():
            continue
        for character in TABULAR:
            name = cmap.cmap.get(ord(character))
            if name in replaced:
                cmap.cmap[ord(character)] = replaced[name]
                changed += 1
    if changed < 10:
        raise ValueError("the font has no tabular digits")


def equalize_digits(font) -> None:
    """Some weights leave one digit a few units narrower: all ten get the advance of zero."""
    cmap = font.getBestCmap()
    width = font["hmtx"][cmap[ord("0")]][0]
    strings = font["CFF "].cff.topDictIndex[0].CharStrings
    for digit in "0123456789":
        name = cmap[ord(digit)]
        font["hmtx"][name] = (width, font["hmtx"][name][1])
        glyph = strings[name]
        glyph.decompile()
        glyph.width = width


def rename(font, style: str) -> None:
    full = f"{FAMILY} {style}"
    postscript = f"{FAMILY.replace(' ', '')}-{style}"
    # Qt reads the family from the first name, so all weights share it.
    names = {1: FAMILY, 2: style, 3: postscript, 4: full,
             6: postscript, 16: FAMILY, 17: style}
    table = font["name"]
    table.names = [record for record in table.names if record.nameID not in {*names, 21, 22, 25}]
    for identifier, text in names.items():
        table.setName(text, identifier, 3, 1, 0x409)
    cff = font["CFF "].cff
    cff.fontNames = [postscript]
    top = cff.topDictIndex[0]
    top.FamilyName = FAMILY
    top.FullName = full


def make(style: str, weight: int, target: pathlib.Path) -> None:
    from fontTools import subset, ttLib

    font = ttLib.TTFont(SOURCE / f"Inter-{style}.otf", recalcTimestamp=False)
    map_tabular(font)
    options = subset.Options()
    options.layout_features = ["kern", "mark", "mkmk", "ccmp", "locl"]
    options.name_IDs = ["*"]
    options.notdef_outline = True
    options.desubroutinize = True
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[code for group in CHARACTERS for code in group])
    subsetter.subset(font)
    equalize_digits(font)
    rename(font, style)
    font["OS/2"].usWeightClass = weight
    font.save(target)


def write_resources(folder: pathlib.Path, files: list[str]) -> None:
    lines = "".join(f"    <file>{name}</file>\n" for name in files)
    (folder / "fonts.qrc").write_text(
        f'<RCC>\n  <qresource prefix="/headway/fonts">\n{lines}  </qresource>\n</RCC>\n')


def main() -> int:
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    made: list[str] = []
    try:
        load_fonttools(folder)
        for style, weight in WEIGHTS.items():
            name = f"HeadwaySans-{style}.otf"
            make(style, weight, folder / name)
            made.append(name)
        (folder / "HeadwaySans-OFL.txt").write_bytes(LICENCE.read_bytes())
        made.append("HeadwaySans-OFL.txt")
    except Exception as error:  # a build without the font is complete, only plainer
        print(f"note: built without the font {FAMILY}, the system's font is used instead ({error}). "
              f"With fonts-inter and a network, remove {folder} and build again.", file=sys.stderr)
        made = []
    write_resources(folder, made)
    return 0


if __name__ == "__main__":
    sys.exit(main())
