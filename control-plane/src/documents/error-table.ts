import { refusals } from '@probe-mesh/contracts/schema/refusal'
import { markdownTable } from '@probe-mesh/runtime/tables'

/** `docs/errors.md`: the table of codes, generated from the table that the code uses. */
export const errorTable = (): string =>
  [
    '# Errors',
    '',
    'Every refusal is `application/problem+json` (RFC 9457) with the extension members `code`,',
    '`message` (the text for people; the same as `detail`) and `errors: [{path, message}]`, which lists',
    'every problem of an input. `npm run docs` generates this page from `contracts/src/schema/refusal.ts`.',
    '',
    markdownTable([
      ['code', 'HTTP', 'title', 'message'],
      ...Object.entries(refusals).map(([code, row]) => [
        code,
        String(row.status),
        row.title,
        row.message.replaceAll('<', '&lt;'),
      ]),
    ]),
    '',
    '- SV-2001 has status 400 for a body that is not JSON, and 413 for a body above 64 KB.',
    '- 429 and 503 have a `Retry-After` header in seconds. Every answer to a key, and every keyless answer, has',
    '  `RateLimit-Policy` and `RateLimit` headers (draft-ietf-httpapi-ratelimit-headers-11).',
    '- The checks run in this order: key (SV-1001, SV-1002), account (SV-1012), plan (SV-1003), scope',
    '  (SV-1004), budget (SV-6001, SV-6002), client (SV-3005), input (SV-2001, SV-2002), resource.',
    '- Keyless routes ignore keys. Their order: budget of the address (SV-6004), input (SV-2001), stack. A',
    '  service outside the catalog is not an error: the answer has `status: not_covered`.',
    '- Through an MCP gateway, the gateway is checked first (SV-1010). Keys of free accounts may read, and',
    '  SV-1005 replaces SV-1003, before the scope. A keyless route with a key uses the budget of the key',
    '  (SV-1001, SV-1002, SV-6001).',
    '- A resource of another account is not found (SV-3001), never forbidden.',
    '',
  ].join('\n')
