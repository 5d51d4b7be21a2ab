import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { markdownTable } from '../http/markdown-table.ts'

/** `docs/errors.md`: the table of codes, printed from the one that the code answers by. */
export const errorTable = (): string =>
  [
    '# Errors',
    '',
    'Every refusal is `application/problem+json` (RFC 9457) with the extension members `code`,',
    '`message` (what a person reads; the same as `detail`) and `errors: [{path, message}]`, which',
    'lists every problem of an input at once. Printed from `contracts/src/schema/refusal.ts` by `npm run docs`.',
    '',
    ...markdownTable([
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
    '- 429 and 503 carry `Retry-After` in seconds. Every answer to a key, and every one of the keyless',
    '  answers, carries `RateLimit-Policy` and `RateLimit` as in',
    '  draft-ietf-httpapi-ratelimit-headers-11.',
    '- They are decided in this order: the key (SV-1001, SV-1002), the account (SV-1012), the',
    '  tier (SV-1003), the scope (SV-1004), the budget (SV-6001, SV-6002), the client (SV-3005), the input',
    '  (SV-2001, SV-2002), then the resource.',
    '- Of the keyless answers, which look at no key: the budget of the address (SV-6004), the input',
    '  (SV-2001), then the stack. A service that is not in the catalog is no refusal: it is answered',
    '  with `status: not_covered`.',
    '- Through a gateway (MCP), which is trusted before anything else (SV-1010): free keys may read, and',
    '  SV-1005 stands in the place of SV-1003, before the scope. A keyless answer that is asked for with',
    "  a key is the key's (SV-1001, SV-1002, SV-6001); without one it is as above.",
    '- The resource of another account is not found (SV-3001), never forbidden.',
    '',
  ].join('\n')
