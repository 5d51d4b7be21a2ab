import type { Exchange } from '@probe-mesh/contracts/api/route-client'
import type { TestAccount, TestApp } from '@probe-mesh/control-plane/src/app/testing/test-app'
import { createApi, type Api } from '../api/create-api.ts'
import { brokenOff, contextOf, fakePatience } from '../api/testing.ts'
import type { Applied, Resource } from '../protocol/resource.ts'
import { toObject, unknown, type ObjectValue, type Value } from '../protocol/value.ts'
import { isSame, valueOf } from './settle.ts'

type Call = { line: string; key: string | null; client: string | null; body: unknown }

export const linesOf = (calls: readonly Call[]): string[] => calls.map(({ line }) => line)

/**
 * The provider's client on the app, whose clock moves where it pauses.
 * @param options.isLost whether the answer to the call of that number goes missing
 */
export const openAccount = async (
  at: TestApp,
  options: { scope?: 'read'; account?: TestAccount; isLost?: (call: number) => boolean } = {},
) => {
  const account = options.account ?? (await at.account('growth'))
  const calls: Call[] = []
  const exchange: Exchange = async ({ pathname }, request) => {
    const { headers, body: payload } = request
    const method = request.method as 'GET'
    const key = headers['idempotency-key'] ?? null
    const client = headers['service-client'] ?? null
    const body = payload === undefined ? null : JSON.parse(payload)
    calls.push({ line: `${method} ${pathname.replace('/v1', '')}`, key, client, body })
    const number = calls.length
    const answer = await at.app.inject({
      method,
      url: pathname,
      headers,
      ...(payload === undefined ? {} : { payload }),
    })
    if (options.isLost?.(number) === true) throw brokenOff()
    const told = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
    return new Response(answer.body, { status: answer.statusCode, headers: told as [] })
  }
  const { patience, pauses } = fakePatience((ms) => at.pass(ms))
  const { context } = contextOf()
  const apiKey = options.scope === 'read' ? account.readKey : account.writeKey
  const open = (): Api => createApi({ apiUrl: 'http://app/v1', apiKey, exchange, patience })
  return { account, calls, pauses, context, open, api: open() }
}

export const stateOf = ({ state, diagnostics }: Applied): ObjectValue => {
  if (state === null || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics))
  return state
}

/** A configuration: what it does not say is null. */
export const configOf = (resource: Resource<Api>, said: Record<string, Value>): ObjectValue =>
  toObject(
    Object.keys(resource.schema.attributes).map((name) => [
      name,
      valueOf(toObject(Object.entries(said)), name),
    ]),
  )

/** What the server plans before the resource's own rules. */
const proposed = (resource: Resource<Api>, config: ObjectValue, prior: ObjectValue | null) => {
  const attributes = Object.entries(resource.schema.attributes)
  const base = attributes.map(([name, { presence, default: value }]): [string, Value] => {
    const said = valueOf(config, name)
    if (said !== null || presence === 'optional' || presence === 'required') return [name, said]
    if (value !== undefined) return [name, value]
    return [name, prior === null ? unknown : valueOf(prior, name)]
  })
  const isEqual = base.every(([name, value]) => prior !== null && sameValue(resource, name, prior, value))
  if (isEqual) return { planned: toObject(base), isEqual }
  const planned = base.map(([name, value]): [string, Value] => {
    const attribute = resource.schema.attributes[name]
    const isService = attribute?.presence.endsWith('computed') && attribute.default === undefined
    const isKept = attribute?.keeps === true && prior !== null
    return [name, isService && valueOf(config, name) === null && !isKept ? unknown : value]
  })
  return { planned: toObject(planned), isEqual }
}

const sameValue = (resource: Resource<Api>, name: string, prior: ObjectValue, value: Value) =>
  isSame(
    valueOf(prior, name),
    value,
    JSON.stringify(resource.schema.attributes[name]?.type).startsWith('["set"'),
  )

/** A plan as Terraform sees it: what changes, and whether that is another object. */
export const planOf = (
  resource: Resource<Api>,
  said: Record<string, Value>,
  prior: ObjectValue | null,
  remembered: Uint8Array = new Uint8Array(),
) => {
  const config = configOf(resource, said)
  const { planned } = proposed(resource, config, prior)
  const rule = resource.plan?.({ config, prior, planned, private: remembered }) ?? { planned }
  const changed = Object.keys(planned).filter(
    (name) => prior === null || !sameValue(resource, name, prior, valueOf(rule.planned, name)),
  )
  const replaces = changed.filter(
    (name) =>
      prior !== null && resource.schema.attributes[name]?.replaces === true && valueOf(config, name) !== null,
  )
  return { config, planned: rule.planned, changed, replaces, diagnostics: rule.diagnostics ?? [] }
}
