"""Workbooks of Excel and LibreOffice, as few bytes as these programs would still open."""

import datetime as dt
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

Cell = str | int | float | bool | dt.date | None
Sheets = Mapping[str, Sequence[Sequence[Cell]]]
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
OASIS = "urn:oasis:names:tc:opendocument:xmlns"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
FIRST_DAY = dt.date(1899, 12, 30)


def write_xlsx(path: Path, sheets: Sheets) -> Path:
    """A workbook of Excel; a text that begins with # is the error that a cell may have."""
    numbers = range(1, len(sheets) + 1)
    kinds = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{TYPE}.worksheet+xml"/>' for i in numbers
    )
    names = "".join(f'<sheet name={quoteattr(n)} sheetId="{i}" r:id="r{i}"/>' for i, n in enumerate(sheets, 1))
    links = "".join(
        f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i in numbers
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        parts = {
            "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" ContentType="'
            'application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="'
            f'application/xml"/><Override PartName="/xl/workbook.xml" ContentType="{TYPE}.sheet.main+xml"/>{kinds}'
            "</Types>",
            "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
            f'Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
            "xl/workbook.xml": f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{names}</sheets></workbook>',
            "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{links}<Relationship '
            f'Id="s" Type="{OFFICE}/styles" Target="styles.xml"/></Relationships>',
            "xl/styles.xml": f'<styleSheet xmlns="{MAIN}"><cellXfs><xf numFmtId="0"/><xf numFmtId="14" '
            'applyNumberFormat="1"/></cellXfs></styleSheet>',
        }
        for number, rows in zip(numbers, sheets.values(), strict=True):
            lines = "".join(
                f'<row r="{r}">{"".join(_cell(value, r, c) for c, value in enumerate(row))}</row>'
                for r, row in enumerate(rows, 1)
            )
            parts[f"xl/worksheets/sheet{number}.xml"] = (
                f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'
            )
        for name, text in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return path


def _cell(value: Cell, row: int, column: int) -> str:
    place = f"{chr(65 + column)}{row}"
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, dt.date):
        return f'<c r="{place}" s="1"><v>{(value - FIRST_DAY).days}</v></c>'
    if isinstance(value, str):
        if value.startswith("#"):
            return f'<c r="{place}" t="e"><v>{value}</v></c>'
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return f'<c r="{place}"><v>{value}</v></c>'


def write_ods(path: Path, sheets: Sheets) -> Path:
    """A workbook of LibreOffice."""
    tables = "".join(
        f"<table:table table:name={quoteattr(name)}>"
        + "".join(f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{OASIS}:office:1.0" '
        f'xmlns:table="{OASIS}:table:1.0" xmlns:text="{OASIS}:text:1.0"><office:body><office:spreadsheet>{tables}'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", ODS)
        archive.writestr(
            "META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{OASIS}:manifest:1.0"></manifest:manifest>'
        )
        archive.writestr("content.xml", content)
    return path


def _ods_cell(value: Cell) -> str:
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, bool):
        return f'<table:table-cell office:value-type="boolean" office:boolean-value="{str(value).lower()}"/>'
    if isinstance(value, dt.date):
        return f'<table:table-cell office:value-type="date" office:date-value="{value.isoformat()}"/>'
    if isinstance(value, str):
        return f'<table:table-cell office:value-type="string"><text:p>{escape(value)}</text:p></table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
