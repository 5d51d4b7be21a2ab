import type { AccountRecord } from '@probe-mesh/control-plane/accounts/accounts-store'
import type { ListedAccount } from '@probe-mesh/control-plane/accounts/manage-accounts'
import type { KeyRecord } from '@probe-mesh/control-plane/accounts/keys-store'
import type { NamedPoolShare } from '@probe-mesh/control-plane/app/pool-snapshot'
import type { QuarantineRecord } from '@probe-mesh/control-plane/status/quarantine/quarantines-store'
import type { DoubtRecord } from '@probe-mesh/control-plane/status/quarantine/region-doubts-store'
import { Scope } from '@probe-mesh/contracts/account/api-key'
import { regionCode } from '@probe-mesh/contracts/reading/regions'
import type { Check } from '@probe-mesh/contracts/check/check'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { Tier } from '@probe-mesh/contracts/account/tiers'
import { defineCommandLine, flag, type Called, type Given } from '@probe-mesh/runtime/argv'
import {
  oneOf,
  path,
  required,
  right,
  text,
  withDefault,
  wrong,
  type Kind,
} from '@probe-mesh/runtime/setting'

const account = required(text, 'account id, or the e-mail address of its first user')
const plan = oneOf(...Tier.options)
const file = required(
  path,
  'JSON: a check of any type, the fields to change, or {"steps": [...]}; docs/checks.md lists the fields',
)
const json = flag('print the result as JSON')
const options = { json }

/** An id, as the list command prints it. */
const idOf = (what: string): Kind<string> => ({
  form: 'id',
  parse: (text) =>
    Uuid.safeParse(text).success
      ? right(text)
      : wrong(`must be a ${what} id, not ${text}; ${what} list shows the ids`),
})
const checkId = required(idOf('check'), "a check's id")

/** Operator commands on the database of a running instance. */
export const adminCommands = defineCommandLine({
  call: 'npm run -s admin --',
  about: 'Operator commands on the database of a running instance.',
  commands: {
    'account create': {
      summary: 'create an account with its first user',
      options: {
        name: required(text, 'the name'),
        email: required(text, 'the e-mail address of the first user'),
        tier: withDefault(plan, 'free', 'the plan: free, growth or scale'),
        json,
      },
    },
    'account list': { summary: 'list accounts', options },
    'tier set': {
      summary: 'change the plan of an account',
      arguments: { account, tier: required(plan, 'the plan: free, growth or scale') },
      options,
    },
    'suspend account': {
      summary:
        'refuse its keys, sessions, agents and error events, pause its checks and its notifications; its status pages stay online',
      arguments: { account },
      options,
    },
    'resume account': { summary: 'undo a suspension', arguments: { account }, options },
    usage: { summary: 'show the accounts that use the shared pools now', options },
    'key create': {
      summary: 'create an API key',
      arguments: { account },
      options: {
        name: required(text, 'the name'),
        scope: withDefault(oneOf(...Scope.options), 'read', 'read or read_write'),
        json,
      },
    },
    'key list': { summary: 'list the keys of an account', arguments: { account }, options },
    'key revoke': {
      summary: 'revoke a key; it stops working within 5 seconds',
      arguments: { keyId: required(idOf('key'), "a key's id") },
      options,
    },
    'check create': { summary: 'create a check', options: { account, file, json } },
    'check list': { summary: 'list the checks of an account', options: { account, json } },
    'check edit': {
      summary: 'change a check',
      arguments: { checkId },
      options: { file, json },
    },
    'check steps': {
      summary: 'replace the steps of a journey',
      arguments: { checkId },
      options: { file, json },
    },
    regions: { summary: 'list current and recent quarantines of regions', options },
    'region-key': {
      summary:
        'print the REGION_KEY of the agents of a region, which opens the secrets of its checks; it follows from SECRETS_KEY',
      arguments: { region: required(regionCode, 'the region') },
      options,
    },
    quarantines: {
      summary:
        'show the evidence for quarantines: accounts, domains and networks whose hosts failed in one region only, with rejected evidence',
      options,
    },
  },
  notes: `More commands, each with its own --help:

  npm run -s admin -- agent enroll|rotate|list|revoke|tell   manage the credentials of agents
  npm run -s admin -- doctor                                 check every part of the system
  npm run -s admin -- identity [accept]                      show which system the servers belong to
  npm run -s admin -- backup --to <file> --key-file <file>
  npm run -s admin -- restore --from <file> --key-file <file>

Commands work on DATABASE_URL, or on the instance that runs on DATA_DIR (default .data). Passwords and
keys are printed once, when they are created. REGIONS, TARGET_ALLOW and TIER_OVERRIDES limit checks:
set them as on the control plane.`,
})

type Commands = (typeof adminCommands)['commands']

/** A command with its arguments. */
export type Command = {
  [N in keyof Commands]: { act: N } & Given<Commands[N]>
}[keyof Commands]

/** Commands that need no database. */
export type KeyCommand = Extract<Command, { act: 'region-key' }>

/** Commands for check types that the REST API does not write. */
export type CheckCommand = Extract<Command, { act: `check ${string}` }>

export const commandOf = ({ command, given }: Called<Commands>): Command =>
  ({ act: command, ...given }) as Command

/** The result of an act, which `print.ts` formats. */
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
