import type { AccountRecord } from '@probe-mesh/control-plane/accounts/accounts-store'
import type { ListedAccount } from '@probe-mesh/control-plane/accounts/manage-accounts'
import type { KeyRecord } from '@probe-mesh/control-plane/accounts/keys-store'
import type { NamedPoolShare } from '@probe-mesh/control-plane/app/pool-snapshot'
import type { QuarantineRecord } from '@probe-mesh/control-plane/status/quarantine/quarantines-store'
import type { DoubtRecord } from '@probe-mesh/control-plane/status/quarantine/region-doubts-store'
import type { Scope } from '@probe-mesh/contracts/account/api-key'
import { Scope as ScopeSchema } from '@probe-mesh/contracts/account/api-key'
import type { Check } from '@probe-mesh/contracts/check/check'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { Tier } from '@probe-mesh/contracts/account/tiers'
import { parseArgs } from 'node:util'

/** What the operator asks for, as data. */
export type Command =
  | { act: 'help' }
  | { act: 'account create'; name: string; email: string; tier: Tier }
  | { act: 'account list' }
  | { act: 'tier set'; account: string; tier: Tier }
  | { act: 'suspend account' | 'resume account'; account: string }
  | { act: 'usage' }
  | { act: 'key create'; account: string; name: string; scope: Scope }
  | { act: 'key list'; account: string }
  | { act: 'key revoke'; keyId: string }
  | { act: 'regions' }
  | { act: 'quarantines' }
  | CheckCommand

/** What is asked of the checks that the REST API does not write; their fields are in a JSON file. */
export type CheckCommand =
  | { act: 'check create'; account: string; file: string }
  | { act: 'check list'; account: string }
  | { act: 'check edit' | 'check steps'; checkId: string; file: string }

export type ParsedCommand =
  | { ok: true; command: Command; json: boolean }
  | { ok: false; message: string }

/** What each act works on, in the order of its arguments, and which options it knows. */
const acts = {
  'account create': { arguments: [], options: ['name', 'email', 'tier'] },
  'account list': { arguments: [], options: [] },
  'tier set': { arguments: ['account', 'tier'], options: [] },
  'suspend account': { arguments: ['account'], options: [] },
  'resume account': { arguments: ['account'], options: [] },
  'key create': { arguments: ['account'], options: ['name', 'scope'] },
  'key list': { arguments: ['account'], options: [] },
  'key revoke': { arguments: ['key id'], options: [] },
  'check create': { arguments: [], options: ['account', 'file'] },
  'check list': { arguments: [], options: ['account'] },
  'check edit': { arguments: ['check id'], options: ['file'] },
  'check steps': { arguments: ['check id'], options: ['file'] },
  regions: { arguments: [], options: [] },
  usage: { arguments: [], options: [] },
  quarantines: { arguments: [], options: [] },
} as const satisfies Record<string, { arguments: readonly string[]; options: readonly string[] }>

type Act = keyof typeof acts

/** Reads the command line; the message of a wrong one says what is wrong with it. Pure. */
export const parseCommand = (argv: readonly string[]): ParsedCommand => {
  let parsed: ReturnType<typeof readArguments>
  try {
    parsed = readArguments(argv)
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) }
  }
  const { values, positionals } = parsed
  const json = values.json ?? false
  if (values.help === true || argv.length === 0) return { ok: true, command: { act: 'help' }, json }
  const name = positionals.slice(0, 2).join(' ')
  if (!isAct(name)) {
    return fail(`${name === '' ? 'no command' : `unknown command: ${name}`}; see --help`)
  }
  const act = acts[name]
  const rest = positionals.slice(2)
  if (rest.length !== act.arguments.length) {
    const wanted = act.arguments.map((argument) => `<${argument}>`).join(' ')
    return fail(`${name} takes ${wanted === '' ? 'no arguments' : wanted}`)
  }
  const known = new Set<string>([...act.options, 'json', 'help'])
  const stray = Object.keys(values).find((option) => !known.has(option))
  if (stray !== undefined) return fail(`${name} has no option --${stray}`)
  const command = toCommand(name, rest, values)
  return typeof command === 'string' ? fail(command) : { ok: true, command, json }
}

const fail = (message: string): ParsedCommand => ({ ok: false, message })

const readArguments = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    strict: true,
    allowPositionals: true,
    options: {
      name: { type: 'string' },
      email: { type: 'string' },
      tier: { type: 'string' },
      scope: { type: 'string' },
      account: { type: 'string' },
      file: { type: 'string' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })

const isAct = (text: string): text is Act => Object.hasOwn(acts, text)

type Values = ReturnType<typeof readArguments>['values']

const toCommand = (act: Act, rest: readonly string[], values: Values): Command | string => {
  const [first = '', second = ''] = rest
  switch (act) {
    case 'account create': {
      const tier = Tier.safeParse(values.tier ?? 'free')
      if (values.name === undefined) return 'account create needs --name'
      if (values.email === undefined) return 'account create needs --email'
      if (!tier.success) return wrongTier(values.tier)
      return { act, name: values.name, email: values.email, tier: tier.data }
    }
    case 'account list':
    case 'regions':
    case 'usage':
    case 'quarantines':
      return { act }
    case 'suspend account':
    case 'resume account':
      return { act, account: first }
    case 'tier set': {
      const tier = Tier.safeParse(second)
      return tier.success ? { act, account: first, tier: tier.data } : wrongTier(second)
    }
    case 'key create': {
      const scope = ScopeSchema.safeParse(values.scope ?? 'read')
      if (values.name === undefined) return 'key create needs --name'
      if (!scope.success) return `--scope must be read or read_write, not ${values.scope}`
      return { act, account: first, name: values.name, scope: scope.data }
    }
    case 'key list':
      return { act, account: first }
    case 'key revoke': {
      const keyId = Uuid.safeParse(first)
      return keyId.success
        ? { act, keyId: keyId.data }
        : `${first} is not a key id; key list shows the ids`
    }
    case 'check create':
      if (values.account === undefined) return 'check create needs --account'
      if (values.file === undefined) return 'check create needs --file'
      return { act, account: values.account, file: values.file }
    case 'check list':
      if (values.account === undefined) return 'check list needs --account'
      return { act, account: values.account }
    case 'check edit':
    case 'check steps': {
      const checkId = Uuid.safeParse(first)
      if (!checkId.success) return `${first} is not a check id; check list shows the ids`
      if (values.file === undefined) return `${act} needs --file`
      return { act, checkId: checkId.data, file: values.file }
    }
  }
}

const wrongTier = (tier: string | undefined): string =>
  `the tier must be free, growth or scale, not ${tier}`

/** What an act did, as data: what is printed follows from it. */
export type Outcome =
  | { act: 'account create'; account: AccountRecord; email: string; password: string }
  | { act: 'account list'; accounts: ListedAccount[] }
  | { act: 'tier set'; account: AccountRecord }
  | { act: 'suspend account' | 'resume account'; account: AccountRecord; checks: number }
  | { act: 'usage'; shares: NamedPoolShare[] }
  | { act: 'key create'; apiKey: string; key: KeyRecord }
  | { act: 'key list'; keys: KeyRecord[] }
  | { act: 'key revoke'; key: KeyRecord }
  | { act: 'check create' | 'check edit' | 'check steps'; check: Check }
  | { act: 'check list'; checks: Check[] }
  | { act: 'regions'; quarantines: QuarantineRecord[] }
  | { act: 'quarantines'; quarantines: QuarantineRecord[]; doubts: DoubtRecord[] }
