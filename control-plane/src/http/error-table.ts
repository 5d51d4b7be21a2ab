import { refusals } from '@probe-mesh/contracts/refusal'

/** `docs/errors.md`: the table of codes, printed from the one that the code answers by. */
export const errorTable = (): string =>
  [
    '# Errors',
    '',
    'Every refusal is `application/problem+json` (RFC 9457) with the extension members `code`,',
    '`message` (what a person reads; the same as `detail`) and `errors: [{path, message}]`, which',
    'lists every problem of an input at once. Printed from `contracts/src/refusal.ts` by `npm run docs`.',
    '',
    ...table([
      ['code', 'HTTP', 'title', 'message'],
      ...Object.entries(refusals).map(([code, row]) => [
        code,
        String(row.status),
        row.title,
        row.message.replaceAll('<', '&lt;'),
      ]),
    ]),
    '',
    '- SV-2001 is 400 where the body is not JSON, and 413 where it is larger than 64 KB.',
    '- 429 and 503 carry `Retry-After` in seconds. Every answer to a key carries `RateLimit-Policy`',
    '  and `RateLimit` as in draft-ietf-httpapi-ratelimit-headers-11.',
    '- They are decided in this order: the key (SV-1001, SV-1002), the tier (SV-1003), the scope',
    '  (SV-1004), the budget (SV-6001, SV-6002), the input (SV-2001, SV-2002), then the resource.',
    '- The resource of another account is not found (SV-3001), never forbidden.',
    '',
  ].join('\n')

/** Rows as a Markdown table, padded as the formatter of the repository leaves it. */
const table = (rows: readonly (readonly string[])[]): string[] => {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [line(head), rule, ...rows.slice(1).map(line)]
}
