import { z } from 'zod'

/**
 * Every expected no, one row a code (S-2403). `docs/errors.md` is printed from
 * this table.
 */
export const refusals = {
  'SV-1001': {
    status: 401,
    title: 'No API key',
    message: 'Send an API key: Authorization: Bearer <API_KEY>.',
  },
  'SV-1002': {
    status: 401,
    title: 'Unknown API key',
    message: 'This API key is malformed, unknown or revoked. Make a new one.',
  },
  'SV-1003': {
    status: 403,
    title: 'The REST API needs a paid tier',
    message: 'The REST API needs a Growth or Scale account. This key belongs to a free account.',
  },
  'SV-1004': {
    status: 403,
    title: 'Read-only key',
    message: 'This key may only read. Use a read_write key to change anything.',
  },
  'SV-1005': {
    status: 403,
    title: 'Writing needs a paid tier',
    message: 'Writing needs a Growth or Scale account. Upgrade the account; nothing was changed.',
  },
  'SV-1006': {
    status: 401,
    title: 'Account tool on the keyless endpoint',
    message: 'This tool works on an account. Add an API key and call it on /mcp.',
  },
  'SV-1007': {
    status: 401,
    title: 'Not logged in',
    message: 'Log in to the dashboard.',
  },
  'SV-1008': {
    status: 401,
    title: 'Login refused',
    message: 'The e-mail address or the password is wrong.',
  },
  'SV-1009': {
    status: 403,
    title: 'Request from another site',
    message: 'The dashboard takes no requests from the pages of other sites.',
  },
  'SV-1010': {
    status: 401,
    title: 'Unknown gateway',
    message:
      'This gateway is not trusted here. Set the same GATEWAY_KEY on the gateway and on every control plane.',
  },
  'SV-1011': {
    status: 403,
    title: 'Sign-up is closed',
    message: 'Nobody signs up here by themselves. Ask whoever runs this service for an account.',
  },
  'SV-1012': {
    status: 403,
    title: 'Account suspended',
    message: 'This account is suspended. Ask the operator of this service why.',
  },
  'SV-2001': {
    status: 422,
    title: 'Invalid input',
    message: 'The input is not valid; every problem is listed.',
  },
  'SV-2002': {
    status: 422,
    title: 'Assertion not allowed',
    message:
      'Assertions take literal text and plain paths such as a.items[0].name: no regular expressions, wildcards, filters or recursive descent.',
  },
  'SV-2003': {
    status: 422,
    title: 'Too many steps',
    message: 'A multi-step check has at most 10 steps.',
  },
  'SV-2101': {
    status: 422,
    title: 'Source maps not taken',
    message: 'What was uploaded holds no source maps that can be used.',
  },
  'SV-3001': {
    status: 404,
    title: 'Not found',
    message: 'There is nothing here with that id or path on this account.',
  },
  'SV-3002': {
    status: 409,
    title: 'Conflict',
    message: 'This conflicts with the current state of the resource.',
  },
  'SV-3005': {
    status: 405,
    title: 'Read-only through the REST API',
    message: 'This resource is read-only through the REST API.',
  },
  'SV-3006': {
    status: 421,
    title: 'Unknown host name',
    message:
      'This server does not answer for the host name of this request. Use the address of PUBLIC_URL, or add the name to ALLOWED_HOSTS.',
  },
  'SV-4001': {
    status: 403,
    title: 'Monitor allowance reached',
    message: 'The account already has as many checks as its tier allows.',
  },
  'SV-4002': {
    status: 403,
    title: 'Interval too short',
    message: 'The interval is shorter than the tier allows.',
  },
  'SV-4101': {
    status: 403,
    title: 'No room for source maps',
    message: 'The account already keeps as many source maps as it may. Delete some first.',
  },
  'SV-5001': {
    status: 422,
    title: 'Unsafe target',
    message: 'The target address is not allowed.',
  },
  'SV-6001': {
    status: 429,
    title: 'Read budget used up',
    message: 'This key has used its reads for the minute. Wait as long as Retry-After says.',
  },
  'SV-6002': {
    status: 429,
    title: 'Write budget used up',
    message: 'This key has used its writes for the minute. Wait as long as Retry-After says.',
  },
  'SV-6004': {
    status: 429,
    title: 'Keyless budget used up',
    message: 'This address has used its requests for the minute. Wait as long as Retry-After says.',
  },
  'SV-6005': {
    status: 429,
    title: 'Too many login attempts',
    message: 'There were too many attempts to log in. Wait as long as Retry-After says.',
  },
  'SV-9001': {
    status: 500,
    title: 'Our fault',
    message: 'Something failed on our side. It is logged; try again.',
  },
  'SV-9002': {
    status: 503,
    title: 'A store is away',
    message: 'A store is away for the moment. Try again shortly.',
  },
} as const satisfies Record<string, { status: number; title: string; message: string }>

export type RefusalCode = keyof typeof refusals

export const FieldProblem = z.object({ path: z.string(), message: z.string() })
/** One wrong field: `path` in dots and brackets (`regions[2]`), empty for the whole input. */
export type FieldProblem = z.infer<typeof FieldProblem>

/** An expected no, as a value. Anything unexpected is an exception with a cause instead. */
export type Refusal = {
  readonly refused: RefusalCode
  /** The HTTP status: the code's own, but for SV-2001 of what is not JSON (400) or too large (413). */
  readonly status: number
  readonly message: string
  readonly errors: readonly FieldProblem[]
  /** For budgets: seconds until the same call is worth trying again. */
  readonly retryAfterSeconds?: number
}

/** Makes a refusal; message and status default to those of the code's row. */
export const refuse = (
  code: RefusalCode,
  more: {
    message?: string
    status?: number
    errors?: readonly FieldProblem[]
    retryAfterSeconds?: number
  } = {},
): Refusal => ({
  refused: code,
  status: more.status ?? refusals[code].status,
  message: more.message ?? refusals[code].message,
  errors: more.errors ?? [],
  ...(more.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: more.retryAfterSeconds }),
})

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'refused' in value

/** `application/problem+json` (RFC 9457) with our extension members. */
export const Problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.string().regex(/^SV-\d{4}$/),
  message: z.string(),
  errors: z.array(FieldProblem),
})
export type Problem = z.infer<typeof Problem>

/** The wire form of a refusal. */
export const toProblem = (refusal: Refusal): Problem => ({
  type: `urn:probe-mesh:error:${refusal.refused}`,
  title: refusals[refusal.refused].title,
  status: refusal.status,
  detail: refusal.message,
  code: refusal.refused,
  message: refusal.message,
  errors: [...refusal.errors],
})

/** Every problem of a zod error at once, as the field problems of `SV-2001`. */
export const fieldProblems = (error: z.ZodError): FieldProblem[] =>
  error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          path: formatPath([...issue.path, key]),
          message: 'unknown field',
        }))
      : [{ path: formatPath(issue.path), message: issue.message }],
  )

/**
 * The refusal of an input that its schemas refuse: `SV-2002` where a pattern language was tried,
 * `SV-2001` otherwise, every problem listed either way.
 */
export const refuseInvalid = (errors: readonly z.ZodError[]): Refusal =>
  refuse(errors.some((error) => error.issues.some(isGrammarIssue)) ? 'SV-2002' : 'SV-2001', {
    errors: errors.flatMap(fieldProblems),
  })

const opNames = new Set<PropertyKey>([
  'assertionBodyOp',
  'assertionJsonOp',
  'bodyOp',
  'headerOp',
  'jsonOp',
])

const isGrammarIssue = (issue: z.core.$ZodIssue): boolean =>
  (issue.code === 'custom' && issue.params?.['grammar'] === true) ||
  (issue.code === 'invalid_value' && opNames.has(issue.path.at(-1) ?? ''))

const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number'
        ? `${text}[${part}]`
        : text === ''
          ? String(part)
          : `${text}.${String(part)}`,
    '',
  )
