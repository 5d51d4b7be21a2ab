/** Phrases that plain English does not need. */
const banned =
  /\b(?:whoever|nobody|(?:is|are)\s+told|said\s+to\s+be|of\s+which\s+there|beside\s+it|gives\s+up\s+all|is\s+away|goes\s+on|which\s+is\s+the\s+most|as\s+there|so\s+many)\b/gi

export const countBanned = (text: string): number => text.match(banned)?.length ?? 0
