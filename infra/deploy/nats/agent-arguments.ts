import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { Region } from '@probe-mesh/contracts/reading/regions'

export const agentUsage = `Who may connect to the mesh as an agent.

  npm run -s admin -- agent enroll --region <region> [--name <name>] [--out <file>] [--days <days>]
  npm run -s admin -- agent rotate <name> --region <region> --out <file> [--days <days>]
  npm run -s admin -- agent list
  npm run -s admin -- agent revoke <name or key>
  npm run -s admin -- agent tell [--leaf <region>]

  --keys DIR   the folder that "npm run nats-config" wrote (NATS_KEYS, else nats)
  --name       one that no other agent has (<region>-1, <region>-2, ...)
  --out        where the credentials go, for the agent's AGENT_CREDENTIALS (agent-<name>.creds)
  --days       for how long they are good (365)
  --leaf       the servers of NATS_URL are the region's leaf nodes, which know no other region
  --json       print the result as JSON

Credentials are good for one region: what an agent may do stands in its region's account. An agent reads
its file anew whenever it connects, so rotate writes over it, and the former ones stay good until they are
revoked. revoke and tell speak to the servers of NATS_URL at once; enroll and rotate need none.
`

export type AgentAct =
  | { act: 'enroll'; region: Region; name: string | null; out: string | null; days: number }
  | { act: 'rotate'; region: Region; name: string; out: string; days: number }
  | { act: 'list' }
  | { act: 'revoke'; who: string }
  | { act: 'tell'; leaf: Region | null }
  | { act: 'help' }

export type ParsedAgentAct =
  | { ok: true; act: AgentAct; keys: string; json: boolean }
  | { ok: false; problems: string[] }

const daysDefault = 365
const daysMax = 3_650
const nameForm = /^[a-z0-9][a-z0-9-]{0,62}$/
const acts = ['enroll', 'rotate', 'list', 'revoke', 'tell'] as const
const optionsOf = {
  enroll: ['region', 'name', 'out', 'days'],
  rotate: ['region', 'out', 'days'],
  list: [],
  revoke: [],
  tell: ['leaf'],
} as const satisfies Record<(typeof acts)[number], readonly string[]>

/** Reads what follows `admin agent`; of a wrong line it tells every problem. Pure. */
export const parseAgentAct = (
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ParsedAgentAct => {
  let parsed: ReturnType<typeof readArguments>
  try {
    parsed = readArguments(argv)
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] }
  }
  const { values, positionals } = parsed
  const keys = resolve(values.keys ?? environment['NATS_KEYS'] ?? 'nats')
  const json = values.json ?? false
  if (values.help === true || argv.length === 0)
    return { ok: true, act: { act: 'help' }, keys, json }
  const [first = '', second, ...rest] = positionals
  const act = acts.find((name) => name === first)
  if (act === undefined) return { ok: false, problems: [`unknown: agent ${first}; see --help`] }
  const problems: string[] = []
  const known = new Set<string>(['keys', 'json', ...optionsOf[act]])
  for (const option of Object.keys(values)) {
    if (!known.has(option)) problems.push(`agent ${act} has no option --${option}`)
  }
  const takesName = act === 'rotate' || act === 'revoke'
  if (takesName && second === undefined) problems.push(`agent ${act} takes a name`)
  if (rest.length > 0 || (!takesName && second !== undefined)) {
    problems.push(`agent ${act} takes ${takesName ? 'one name' : 'no arguments'}`)
  }
  const result = toAct(act, second ?? '', values, problems)
  return problems.length > 0 ? { ok: false, problems } : { ok: true, act: result, keys, json }
}

const readArguments = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    strict: true,
    allowPositionals: true,
    options: {
      region: { type: 'string' },
      name: { type: 'string' },
      out: { type: 'string' },
      days: { type: 'string' },
      leaf: { type: 'string' },
      keys: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })

const toAct = (
  act: (typeof acts)[number],
  second: string,
  values: ReturnType<typeof readArguments>['values'],
  problems: string[],
): AgentAct => {
  if (act === 'list') return { act }
  if (act === 'tell') {
    const leaf = values.leaf ?? null
    if (leaf !== null && !Region.safeParse(leaf).success) {
      problems.push(`--leaf must be three lower-case letters, not "${leaf}"`)
    }
    return { act, leaf }
  }
  if (act === 'revoke') return { act, who: second }
  const region = values.region ?? ''
  if (!Region.safeParse(region).success) {
    problems.push(`--region must be three lower-case letters, not "${region}"`)
  }
  const days = Number(values.days ?? daysDefault)
  if (!Number.isInteger(days) || days < 1 || days > daysMax) {
    problems.push(`--days must be 1 to ${daysMax}, not ${values.days}`)
  }
  const name = act === 'rotate' ? second : values.name
  if (name !== undefined && !nameForm.test(name)) {
    problems.push(`a name is lower-case letters, digits and -, not "${name}"`)
  }
  if (act === 'enroll') return { act, region, days, name: name ?? null, out: values.out ?? null }
  if (values.out === undefined)
    problems.push('agent rotate needs --out: the file that it writes over')
  return { act, region, days, name: second, out: values.out ?? '' }
}
