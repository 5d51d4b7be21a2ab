/** Patterns of secrets: seeds, keys in PEM, passwords. */
const patterns = [
  /\bS[OAU][A-Z2-7]{56}\b/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\beyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}\./,
  /\bsv_rw?_[A-Za-z0-9]{20,}/,
  /\b[0-9a-f]{64}\b/,
  /(?:password|secret|token)["']?\s*[:=]\s*["'][^"'$<{/ ]{6,}["']/i,
  /[a-z]+:\/\/[^\s/:@${]+:[^\s/@${%]+@/,
]

/** The lines of a text that seem to contain a secret. */
export const secretLines = (text: string): string[] =>
  text.split('\n').filter((line) => patterns.some((pattern) => pattern.test(line)))
