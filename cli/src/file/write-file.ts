import { fieldNames, toFileCheck, type FileCheck } from './checks-file.ts'

/**
 * Writes checks as a file that `parseChecksFile` reads back unchanged. Fields have one order, so
 * that two exports differ only where the checks do.
 * @param comments lines at the top of a YAML file; JSON has no comments
 */
export const writeChecksFile = (
  checks: readonly FileCheck[],
  { format, comments }: { format: 'yaml' | 'json'; comments: readonly string[] },
): string => {
  if (format === 'json') {
    return `${JSON.stringify({ version: 1, checks: checks.map(toFileCheck) }, null, 2)}\n`
  }
  const lines = [
    ...comments.map((comment) => `# ${visible(comment)}`.trimEnd()),
    'version: 1',
    checks.length === 0 ? 'checks: []' : 'checks:',
    ...checks.flatMap(checkLines),
  ]
  return `${lines.join('\n')}\n`
}

const checkLines = (check: FileCheck): string[] =>
  fieldNames
    .filter((field) => check[field] !== undefined)
    .map((field, index) => `  ${index === 0 ? '-' : ' '} ${field}: ${toYaml(check[field])}`)

const toYaml = (value: FileCheck[keyof FileCheck]): string => {
  if (Array.isArray(value)) return `[${value.map(yamlText).join(', ')}]`
  return typeof value === 'string' ? yamlText(value) : String(value)
}

/**
 * Text that every YAML parser, 1.1 too, reads unquoted as that text: it starts with a letter, so it
 * is neither number nor date, and contains no comment or value indicator.
 */
const plain = /^\p{L}(?:[\p{L}\p{M}\p{N} _\-./()+,;&=%?@$[\]]|:(?=[^\s]))*$/u
const words = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n'])

/** Invisible or broken characters: controls, format characters, separators except the space. */
const hidden = /(?! )[\p{C}\p{Z}]/gu
const short: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Text as a YAML scalar on one line: plain if that is safe, else in double quotes. */
export const yamlText = (text: string): string =>
  plain.test(text) && !text.endsWith(' ') && !words.has(text.toLowerCase())
    ? text
    : `"${visible(text.replaceAll(/["\\]/g, '\\$&'))}"`

/** Text on one line, with escapes for invisible characters. */
const visible = (text: string): string =>
  text.replaceAll(hidden, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16)
    if (short[character] !== undefined) return short[character]
    return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`
  })
