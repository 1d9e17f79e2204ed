use super::super::store::{TEMPLATE, Written};

const TEMPLATES: [(&str, &str); 8] = [
    (
        "Infobox",
        "{| class=\"infobox\" style=\"float:right; width:22em\"\n\
         |+ '''{{{name}}}'''\n\
         |-\n\
         | colspan=\"2\" | {{{image|}}} ''{{{caption|}}}''\n\
         |-\n! Founded\n| {{{founded|''unknown''}}}\n\
         |-\n! Area\n| {{{area|{{Unit|0|km²}}}}}\n\
         |-\n! People\n| {{{people|''unknown''}}}\n\
         |-\n! Language\n| {{{language|[[Common tongue]]}}}\n\
         |}\n",
    ),
    (
        "Unit",
        "<!-- one place for the space -->{{{1}}}&nbsp;{{{2}}}",
    ),
    (
        "Cite book",
        "{{{last}}}, {{{first}}} ({{{year|n.d.}}}). ''{{{title}}}''. {{{publisher|}}}.",
    ),
    (
        "Cite web",
        "\"{{{title}}}\". {{{url}}}. Read in {{{access-date|an unknown year}}}.",
    ),
    ("Main", ": ''Main article: {{{1}}}''\n"),
    (
        "Quote",
        "{| class=\"quote\"\n|\n{{{1}}}\n\n— ''{{{2|Anonymous}}}''\n|}\n",
    ),
    (
        "Navbox",
        "{| class=\"navbox\"\n! colspan=\"2\" | [[Things that are not]]\n|-\n\
         ! Places\n| [[Land]] {{Dot}} [[Sea]] {{Dot}} [[Mountain]] {{Dot}} [[Town]] {{Dot}} \
         [[River]]\n|-\n\
         ! People\n| [[Writer]]s {{Dot}} [[King]]s {{Dot}} [[Painter]]s {{Dot}} [[Sailor]]s\n|-\n\
         ! Times\n| [[Early times]] {{Dot}} [[Middle times]] {{Dot}} [[Late times]]\n|}\n",
    ),
    ("Dot", "'''·'''"),
];

pub(super) fn all() -> impl Iterator<Item = Written> {
    TEMPLATES.iter().map(|(name, text)| Written {
        title: format!("{TEMPLATE}{name}"),
        text: (*text).to_owned(),
    })
}
