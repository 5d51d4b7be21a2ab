/** What a secret looks like where somebody put one into a file: seeds, keys in PEM, passwords. */
const looks = [
  /\bS[OAU][A-Z2-7]{56}\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\beyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}\./,
  /\bsv_rw?_[A-Za-z0-9]{20,}/,
  /\b[0-9a-f]{64}\b/,
  /(?:password|secret|token)["']?\s*[:=]\s*["'][^"'$<{/ ]{6,}["']/i,
  /[a-z]+:\/\/[^\s/:@${]+:[^\s/@${%]+@/,
]

/** The lines of a text that seem to hold a secret in clear. */
export const secretLines = (text: string): string[] =>
  text.split('\n').filter((line) => looks.some((look) => look.test(line)))
