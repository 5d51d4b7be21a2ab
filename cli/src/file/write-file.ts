import { fieldNames, toFileCheck } from './checks-file.ts'
import type { FileCheck } from './checks-file.ts'
import { visible, yamlText } from './yaml-text.ts'

/**
 * Writes checks as a file that `parseChecksFile` reads back as the same checks, in the same order,
 * their fields in one order, so that two exports differ only where the checks do.
 * @param comments lines for the head of a YAML file; JSON has no comments and leaves them out
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
