import pino from 'pino'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import type { Scope } from '@probe-mesh/contracts/account/api-key'
import type { PresencePace } from '@probe-mesh/contracts/mesh/subjects'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { tiersDefault, type Tier } from '@probe-mesh/contracts/account/tiers'
import { localHosts } from '@probe-mesh/runtime/allowed-hosts'
import { closeWithFile } from '@probe-mesh/infra/testing/close-with-file'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { createTestDatabase, type TestDatabase } from '@probe-mesh/infra/testing/postgres'
import { useOnce } from '@probe-mesh/infra/testing/use'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { onTestFinished } from 'vitest'
import { createFirstPage } from '../../login/create-first-page-store.ts'
import { createKey } from '../../accounts/keys.ts'
import { answersOf, type TestAnswers } from '../../public-answers/answers/testing.ts'
import { targetRequestsPerMinuteDefault } from '../../targets/target-budget.ts'
import { connectClickHouse } from '../../stores/clickhouse/connect.ts'
import { insertAccount } from '../../accounts/accounts-store.ts'
import { updateAccountTier } from '../../accounts/manage-accounts.ts'
import { connectPostgres, type Sql } from '../../stores/postgres/connect.ts'
import { createDeviceMarks } from '../../login/device-marks.ts'
import { createRunIds } from '../../mesh/relay/run-ids.ts'
import { createUnsubscribeTokens } from '../../accounts/link-tokens.ts'
import { createChannelSender } from '../../notifications/channels/channel-sender.ts'
import { createResolver } from '../../notifications/outgoing/resolve.ts'
import { createAssignmentSealer } from '../../secrets/seal-assignments.ts'
import { createVault } from '../../secrets/vault.ts'
import { createApp } from '../app.ts'
import type { AppCapabilities, AppConfig } from '../app-parts.ts'

export type Answer = {
  status: number
  headers: Record<string, unknown>
  json: ReturnType<typeof JSON.parse>
  text: string
}

export type TestAccount = { id: string; writeKey: string; readKey: string }

export type TestApp = {
  app: FastifyInstance
  sql: Sql
  /** Sees one account at a time, as the verbs do. */
  accountSql: Sql
  /** Sees every account, as loops do. */
  systemSql: Sql
  bus: Bus
  /** The context of the keyless answers. Tests set `observed`. */
  answers: TestAnswers
  registry: Registry
  logged: string[]
  /** The app's clock, milliseconds. */
  now(): number
  /** Advances the app's clock. */
  pass(ms: number): void
  /** Stops the app's clock until the end of the test: only `pass` moves it. */
  hold(): void
  account(tier: Tier): Promise<TestAccount>
  call(
    method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: {
      key?: string
      body?: unknown
      headers?: Record<string, string>
      /** The address of the gateway's caller; sends the request through a gateway. */
      via?: string
      /** The address of the peer. */
      from?: string
    },
  ): Promise<Answer>
  close(): Promise<void>
}

/** The key of the gateways of the tests. */
export const gatewayKey = 'the-gateway-key-of-the-tests-and-no-other'

/** The signing key of the apps of the tests. */
export const testKey = 'the key of the tests'

/** The SECRETS_KEY of the apps of the tests. */
export const testSecretsKey = 'the secrets key of the tests, 32 characters'

/** No server listens there: ClickHouse is unavailable unless a test starts one. */
const unavailableClickHouse = 'http://nobody:nothing@127.0.0.1:9/none'

type TestAppOptions = {
  /** For a test that starts several apps on one database and closes it. Default: a new one. */
  database?: Pick<TestDatabase, 'url' | 'close'> & Partial<TestDatabase>
  clickhouseUrl?: string
  config?: Partial<AppConfig>
  /** Default: a small catalog without data. */
  answers?: Partial<TestAnswers>
  readiness?: AppCapabilities['readiness']
  degradable?: NonNullable<AppCapabilities['degradable']>
  reach?: NonNullable<AppCapabilities['reach']>
  /** Default: those of production. */
  presencePace?: PresencePace
  streamRecheckMs?: number
  /** Default: the limit of production. */
  errorEventsPerSecond?: number
  /** Default: the limit of production. */
  requestsUnderWayMax?: number
  /** The places for accounts at their floor. */
  requestFloorPlaces?: number
  /** Adds routes to the app. */
  serve?: (app: FastifyInstance) => void
}

/** An app for the tests of a file: use it in hooks and tests. */
export const useTestApp = (options: TestAppOptions | (() => TestAppOptions) = {}): TestApp =>
  useOnce(() => startTestApp(typeof options === 'function' ? options() : options))

/** An app with its own database and bus, called without a port. It closes with the file too. */
export const startTestApp = async (options: TestAppOptions = {}): Promise<TestApp> => {
  const database = options.database ?? (await createTestDatabase())
  const open = (role?: 'probe_mesh_system' | 'probe_mesh_account'): Sql =>
    database.pool?.(role) ?? connectPostgres(database.url, { connectionsMax: 8, ...(role && { role }) })
  const [sql, systemSql, accountSql] = [open(), open('probe_mesh_system'), open('probe_mesh_account')]
  const directory = testFolder('probe-mesh-http-')
  const bus = await openInProcessBus({ directory, presencePace: options.presencePace })
  const clickhouse = connectClickHouse(options.clickhouseUrl ?? unavailableClickHouse)
  const registry = new Registry()
  const logged: string[] = []
  let passedMs = 0
  let heldAtMs: number | null = null
  const now = (): number => (heldAtMs ?? Date.now()) + passedMs
  const allow = parseAllowList(['127.0.0.0/8'])
  if (!allow.ok) throw new Error('the allow list of the tests is wrong')
  const vault = createVault(testSecretsKey)
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(line) })
  const channelRules = {
    targetAllow: options.config?.targetAllow ?? allow.allow,
    channelAllow: options.config?.channelAllow === undefined ? allow.allow : options.config.channelAllow,
    blockedTargets: options.config?.blockedTargets ?? denyNothing,
  }
  const answers = answersOf({ now, ...options.answers })
  const app = createApp(
    {
      vault,
      sealer: createAssignmentSealer({ sql: systemSql, vault, secretsKey: testSecretsKey, log }),
      channelSender: createChannelSender({
        rules: channelRules,
        resolver: createResolver(),
        vault,
        now,
      }),
      sql: systemSql,
      accountSql,
      clickhouse,
      bus,
      answers,
      tokens: createUnsubscribeTokens(testKey),
      marks: createDeviceMarks(testKey),
      relayRunIds: createRunIds(testKey),
      now,
      databaseNow: now,
      budgetQueryMsMax: 30_000,
      presencePace: options.presencePace,
      streamRecheckMs: options.streamRecheckMs,
      ...(options.errorEventsPerSecond === undefined
        ? {}
        : { errorEventsPerSecond: options.errorEventsPerSecond }),
      ...(options.requestsUnderWayMax === undefined
        ? {}
        : { requestsUnderWayMax: options.requestsUnderWayMax }),
      ...(options.requestFloorPlaces === undefined ? {} : { requestFloorPlaces: options.requestFloorPlaces }),
      log,
      registry,
      readiness: options.readiness ?? {},
      degradable: options.degradable ?? {},
      ...(options.reach === undefined ? {} : { reach: options.reach }),
      vantage: 'local',
    },
    {
      regions: regionsDefault,
      tiers: tiersDefault,
      ...channelRules,
      targetRequestsPerMinute: targetRequestsPerMinuteDefault * 1_000,
      contactUrl: null,
      trustProxy: false,
      budgetScale: 1,
      gatewayKey,
      publicUrl: 'http://127.0.0.1:8080',
      allowedHosts: localHosts,
      mcpUrl: null,
      signUp: 'open',
      smtpUrl: null,
      ...options.config,
    },
  )
  options.serve?.(app)
  await app.ready()

  const makeKey = async (accountId: string, scope: Scope): Promise<string> => {
    const made = await createKey({ sql, now }, { accountId, name: `${scope} key`, scope })
    if (isRefusal(made)) throw new Error(made.message)
    return made.apiKey
  }

  return {
    app,
    sql,
    accountSql,
    systemSql,
    bus,
    answers,
    registry,
    logged,
    now,
    pass: (ms) => {
      passedMs += ms
    },
    hold: () => {
      heldAtMs = Date.now()
      onTestFinished(() => {
        heldAtMs = null
      })
    },
    account: async (tier) => {
      const id = uuidv7(Date.now())
      // a free account keeps the write key from before its downgrade
      await insertAccount(sql, { id, name: `${tier} account`, tier: 'scale', createdAtMs: now() })
      await createFirstPage(sql, { id, name: `${tier} account`, tier, createdAtMs: now() })
      const writeKey = await makeKey(id, 'read_write')
      const readKey = await makeKey(id, 'read')
      await updateAccountTier(sql, id, tier, Date.now())
      return { id, writeKey, readKey }
    },
    call: async (method, path, { key, body, headers = {}, via, from } = {}) => {
      const response = await app.inject({
        method,
        url: path,
        ...(from === undefined ? {} : { remoteAddress: from }),
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(via === undefined ? {} : { 'gateway-key': gatewayKey, 'gateway-client': via }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: toPayload(body) }),
      })
      return {
        status: response.statusCode,
        headers: response.headers,
        text: response.body,
        json: isJsonText(response) ? JSON.parse(response.body) : undefined,
      }
    },
    close: closeWithFile(async () => {
      await app.close()
      await bus.close()
      await clickhouse.close()
      await Promise.all([sql.end(), systemSql.end(), accountSql.end()])
      if (options.database === undefined) await database.close()
    }),
  }
}

const toPayload = (body: unknown): string | object =>
  typeof body === 'string' || (typeof body === 'object' && body !== null) ? body : JSON.stringify(body)

/** The answer to a HEAD has a type and no text. */
const isJsonText = (response: { headers: Record<string, unknown>; body: string }): boolean =>
  response.body !== '' && /\bjson\b/.test(String(response.headers['content-type']))
