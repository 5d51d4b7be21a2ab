import { z } from 'zod'
import { components, field } from './field.ts'

/**
 * All expected errors, one row per code (S-2403). `docs/errors.md` is generated from this table.
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
    message: 'This API key is malformed, unknown or revoked. Create a new one.',
  },
  'SV-1003': {
    status: 403,
    title: 'The REST API needs a paid plan',
    message: 'The REST API needs the Growth or Scale plan. This key belongs to an account on the Free plan.',
  },
  'SV-1004': {
    status: 403,
    title: 'Read-only key',
    message: 'This key may only read. Use a read_write key for changes.',
  },
  'SV-1005': {
    status: 403,
    title: 'Writing needs a paid plan',
    message: 'Nothing was changed. Writing needs the Growth or Scale plan. Upgrade the account.',
  },
  'SV-1006': {
    status: 401,
    title: 'Account tool on the keyless endpoint',
    message: 'This tool needs an account. Add an API key and call it on /mcp.',
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
    message: 'The dashboard refuses requests from pages of other sites.',
  },
  'SV-1010': {
    status: 401,
    title: 'Unknown gateway',
    message:
      'The control plane does not trust this gateway. Set the same GATEWAY_KEY on the gateway and on every control plane.',
  },
  'SV-1011': {
    status: 403,
    title: 'Sign-up is closed',
    message: 'Sign-up is closed. Ask the operator for an account.',
  },
  'SV-1012': {
    status: 403,
    title: 'Account suspended',
    message: 'This account is suspended. Ask the operator for the reason.',
  },
  'SV-1013': {
    status: 403,
    title: 'Needs a member in the dashboard',
    message:
      'A private agent could open a secret that does not name it. A member names agents on a secret in the dashboard; an API key cannot.',
  },
  'SV-2001': {
    status: 422,
    title: 'Invalid input',
    message: 'The input is not valid. "errors" lists every problem.',
  },
  'SV-2002': {
    status: 422,
    title: 'Assertion not allowed',
    message:
      'Assertions use literal text and plain paths such as a.items[0].name. Regular expressions, wildcards, filters and recursive descent are not allowed.',
  },
  'SV-2003': {
    status: 422,
    title: 'Too many steps',
    message: 'A multi-step check has at most 10 steps.',
  },
  'SV-2101': {
    status: 422,
    title: 'No usable source maps',
    message: 'The upload contains no usable source maps.',
  },
  'SV-3001': {
    status: 404,
    title: 'Not found',
    message: 'The account has nothing with this id or path.',
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
      'This server does not serve the host name of this request. Use the address of PUBLIC_URL, or add the name to ALLOWED_HOSTS.',
  },
  'SV-3007': {
    status: 405,
    title: 'Method not allowed',
    message: 'This path does not have this method. The header Allow lists its methods.',
  },
  'SV-3008': {
    status: 403,
    title: 'Error tracking is off',
    message: 'Error tracking is off on this server. Its operator turns it on with ERROR_TRACKING=on.',
  },
  'SV-4001': {
    status: 403,
    title: 'Limit of checks reached',
    message: 'The account has reached the number of checks that its plan allows.',
  },
  'SV-4002': {
    status: 403,
    title: 'Interval too short',
    message: 'The interval is shorter than the plan allows.',
  },
  'SV-4101': {
    status: 403,
    title: 'Limit of source maps reached',
    message: 'The account has reached its limit of source maps. Delete some first.',
  },
  'SV-5001': {
    status: 422,
    title: 'Unsafe target',
    message: 'The target address is not allowed.',
  },
  'SV-6001': {
    status: 429,
    title: 'Read budget used up',
    message: 'This key has used its reads for this minute. Retry after the time in Retry-After.',
  },
  'SV-6002': {
    status: 429,
    title: 'Write budget used up',
    message: 'This key has used its writes for this minute. Retry after the time in Retry-After.',
  },
  'SV-6004': {
    status: 429,
    title: 'Keyless budget used up',
    message: 'This address has used its requests for this minute. Retry after the time in Retry-After.',
  },
  'SV-6005': {
    status: 429,
    title: 'Too many login attempts',
    message: 'There were too many login attempts. Retry after the time in Retry-After.',
  },
  'SV-9001': {
    status: 500,
    title: 'Internal error',
    message: 'The server failed to process this request. It logged the error. Try again.',
  },
  'SV-9002': {
    status: 503,
    title: 'Temporarily unavailable',
    message: 'The database is temporarily unavailable. Retry in 5 s.',
  },
} as const satisfies Record<string, { status: number; title: string; message: string }>

export type RefusalCode = keyof typeof refusals

export const FieldProblem = z.object({
  path: field(z.string(), 'Field, such as `regions[2]`. Empty for the whole input.', 'url'),
  message: field(z.string(), 'What is wrong with the field.', 'must be an http or https URL'),
})
/** One invalid field. `path` uses dots and brackets (`regions[2]`) and is empty for the whole input. */
export type FieldProblem = z.infer<typeof FieldProblem>

/** An expected error, as a value. Unexpected errors are exceptions with a cause. */
export type Refusal = {
  readonly refused: RefusalCode
  /** The HTTP status of the code. SV-2001 also has 400 (not JSON) and 413 (too large). */
  readonly status: number
  readonly message: string
  readonly errors: readonly FieldProblem[]
  /** For budgets: seconds until a retry can succeed. */
  readonly retryAfterSeconds?: number
  /** For a name that is not known: similar ones. */
  readonly didYouMean?: readonly string[]
}

/** Creates a refusal. Message and status default to those of the code. */
export const refuse = (
  code: RefusalCode,
  more: {
    message?: string
    status?: number
    errors?: readonly FieldProblem[]
    retryAfterSeconds?: number
    didYouMean?: readonly string[]
  } = {},
): Refusal => ({
  refused: code,
  status: more.status ?? refusals[code].status,
  message: more.message ?? (code === 'SV-2001' ? firstOf(more.errors) : null) ?? refusals[code].message,
  errors: more.errors ?? [],
  ...(more.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: more.retryAfterSeconds }),
  ...(more.didYouMean === undefined ? {} : { didYouMean: more.didYouMean }),
})

/** Programs that show only the message show what is wrong. null without a field. */
const firstOf = ([first, ...more]: readonly FieldProblem[] = []): string | null => {
  if (first === undefined) return null
  const others = `${more.length} more ${more.length === 1 ? 'problem' : 'problems'}`
  const rest = more.length === 0 ? '' : ` "errors" lists ${others}.`
  return `${first.path === '' ? 'The input' : `"${first.path}"`}: ${first.message.replace(/\.$/, '')}.${rest}`
}

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === 'object' && value !== null && 'refused' in value

/** `application/problem+json` (RFC 9457) with extension members. */
export const Problem = z.object({
  type: field(z.string(), 'URN of the code.', 'urn:probe-mesh:error:SV-2001'),
  title: field(z.string(), 'Title of the code.', 'Invalid input'),
  status: field(z.int(), 'HTTP status.', 422),
  detail: field(z.string(), 'The same as `message` (RFC 9457).', '"name": is missing.'),
  code: field(z.string().regex(/^SV-\d{4}$/), 'Stable code. See [errors](/docs/errors).', 'SV-2001'),
  message: field(z.string(), 'What happened and what to do.', '"name": is missing.'),
  errors: field(z.array(FieldProblem), 'Every problem of the input.'),
  retryAfterSeconds: field(z.number().optional(), 'Seconds until a retry can succeed, as `Retry-After`.', 12),
  didYouMean: field(z.array(z.string()).optional(), 'Similar names, when a name is not known.', ['web-shop']),
})
export type Problem = z.infer<typeof Problem>
components.add(Problem, { id: 'Problem' })

/** The wire form of a refusal. */
export const toProblem = (refusal: Refusal): Problem => ({
  type: `urn:probe-mesh:error:${refusal.refused}`,
  title: refusals[refusal.refused].title,
  status: refusal.status,
  detail: refusal.message,
  code: refusal.refused,
  message: refusal.message,
  errors: [...refusal.errors],
  ...(refusal.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: refusal.retryAfterSeconds }),
  ...(refusal.didYouMean === undefined ? {} : { didYouMean: [...refusal.didYouMean] }),
})

/** Converts a zod error to the field problems of `SV-2001`. */
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
 * The refusal of invalid input: `SV-2002` for a pattern language, `SV-2001` otherwise. Lists every problem.
 */
export const refuseInvalid = (errors: readonly z.ZodError[], more: readonly FieldProblem[] = []): Refusal =>
  refuse(errors.some((error) => error.issues.some(isGrammarIssue)) ? 'SV-2002' : 'SV-2001', {
    errors: [...errors.flatMap(fieldProblems), ...more],
  })

const opNames = new Set<PropertyKey>(['assertionBodyOp', 'assertionJsonOp', 'bodyOp', 'headerOp', 'jsonOp'])

/** Whether a problem is about a pattern language, which is SV-2002. */
export const isGrammarIssue = (issue: z.core.$ZodIssue): boolean =>
  (issue.code === 'custom' && issue.params?.['grammar'] === true) ||
  (issue.code === 'invalid_value' && opNames.has(issue.path.at(-1) ?? ''))

/** `regions[2]`, `links[0].url`. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  )
