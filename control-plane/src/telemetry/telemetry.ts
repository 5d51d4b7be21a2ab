import { parseHeaders } from '@probe-mesh/contracts/channel/template-headers'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { classifyAddress, type AllowList } from '@probe-mesh/contracts/target/address'
import { deniedMessage, type DenyList } from '@probe-mesh/contracts/target/deny-list'
import { parseTarget } from '@probe-mesh/contracts/target/target'
import {
  telemetrySignals,
  type Telemetry,
  type TelemetryInput,
  type TelemetryPush,
} from '@probe-mesh/contracts/telemetry/telemetry'
import { isOperatorsAccount, lockAccount } from '../accounts/accounts-store.ts'
import { channelAllowOf } from '../notifications/channels/channel-allow.ts'
import type { SealContext } from '../notifications/channels/sealed-config.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { refuseUnsafe } from '../targets/refuse-unsafe.ts'
import { plainHttpText } from '../notifications/outgoing/guarded-request.ts'
import { telemetryOwner } from './send-telemetry.ts'
import {
  deleteEndpoint,
  findEndpoint,
  findPushes,
  writeEndpoint,
  writePushSetting,
  type TelemetryEndpoint,
} from './telemetry-store.ts'

type WriteContext = Pick<AccountContext, 'sql' | 'now'> & SealContext

const off: TelemetryPush = {
  enabled: false,
  lastSuccessAt: null,
  lastErrorAt: null,
  lastError: null,
  failures: 0,
  sent: 0,
  refused: 0,
  dropped: 0,
}

/** The settings of the push, without its headers, and how it goes. */
export const getTelemetry = (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<Telemetry> => inAccount(sql, accountId, (tx) => describe(tx, accountId))

const describe = async (tx: Transaction, accountId: string): Promise<Telemetry> => {
  const [endpoint, pushes] = [await findEndpoint(tx, accountId), await findPushes(tx, accountId)]
  return {
    endpoint: endpoint?.endpoint ?? null,
    headerNames: endpoint?.headerNames ?? [],
    encoding: endpoint?.encoding ?? 'json',
    metrics: pushes.get('metrics') ?? off,
    traces: pushes.get('traces') ?? off,
  }
}

const audit = (action: string, accountId: string) => ({
  action,
  resourceType: 'telemetry',
  resourceId: () => accountId,
})

/**
 * Replaces the settings. SV-5001 for an address that channels of the account may not reach; SV-2001 for http to a public
 * one, and for another endpoint without its headers: stored ones are sealed for the earlier.
 */
export const updateTelemetry = (
  context: WriteContext,
  writer: Writer,
  { body }: { body: TelemetryInput },
): Promise<Telemetry | Refusal> => {
  const { accountId } = writer
  return write(context, writer, audit('updateTelemetry', accountId), async (tx) => {
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    const allow = channelAllowOf(context.rules, {
      accountId,
      isOperators: await isOperatorsAccount(tx, accountId),
    })
    const refusal = refuseEndpoint(body.endpoint, allow, context.rules.blockedTargets)
    if (refusal !== null) return refusal
    const before = await findEndpoint(tx, accountId)
    const headers = headersOf(context, accountId, body, before)
    if (isRefusal(headers)) return headers
    const nowMs = context.now()
    const { endpoint, encoding = before?.encoding ?? 'json' } = body
    await writeEndpoint(tx, { accountId, endpoint, encoding, ...headers }, nowMs)
    for (const signal of telemetrySignals) {
      await writePushSetting(tx, { accountId, signal, enabled: body[signal] }, nowMs)
    }
    return describe(tx, accountId)
  })
}

/** Ends the push. Headers and counts are deleted. */
export const deleteTelemetry = (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
): Promise<{ deleted: true } | Refusal> =>
  write(context, writer, audit('deleteTelemetry', writer.accountId), async (tx) =>
    (await deleteEndpoint(tx, writer.accountId)) ? ({ deleted: true } as const) : refuse('SV-3001'),
  )

const refuseEndpoint = (endpoint: string, allow: AllowList, deny: DenyList): Refusal | null => {
  const parsed = parseTarget(endpoint, { allow })
  if (!parsed.ok) return refuseUnsafe([{ path: 'endpoint', ...parsed.problem }])
  const { url, host, literal } = parsed.target
  if (deny.coversHost(host)) {
    return refuseUnsafe([{ path: 'endpoint', rule: 'denied', message: deniedMessage }])
  }
  // the addresses of a name are known at the push, which refuses the same
  const isPublic = literal === 0 ? allow.cidrs.length === 0 : classifyAddress(host).allowed
  return url.protocol === 'http:' && isPublic
    ? refuse('SV-2001', { errors: [{ path: 'endpoint', message: plainHttpText }] })
    : null
}

const headersOf = (
  { vault }: SealContext,
  accountId: string,
  { endpoint, headers }: TelemetryInput,
  before: TelemetryEndpoint | null,
): Pick<TelemetryEndpoint, 'headers' | 'headerNames'> | Refusal => {
  if (headers === undefined) {
    if (before === null || before.headers === null) return { headers: null, headerNames: [] }
    if (before.endpoint === endpoint) return { headers: before.headers, headerNames: before.headerNames }
    const message = `must be entered again: ${before.headerNames.join(', ')} was stored for another endpoint`
    return refuse('SV-2001', { errors: [{ path: 'headers', message }] })
  }
  const parsed = parseHeaders(headers)
  if (parsed.length === 0) return { headers: null, headerNames: [] }
  return {
    headers: vault.seal(headers, telemetryOwner({ accountId, endpoint })),
    headerNames: parsed.map(({ name }) => name),
  }
}
