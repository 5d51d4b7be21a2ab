import { apiKeyScope } from '@probe-mesh/contracts/account/key-text'
import { parseUrl } from '@probe-mesh/contracts/target/host-in-url'
import { pause } from '@probe-mesh/runtime/pause'
import { createApi, type Api, type ApiOptions } from './api/create-api.ts'
import { statusPageData } from './data-sources/status-page.ts'
import { errorAt, type Diagnostic } from './protocol/diagnostic.ts'
import type { CallContext, Provider } from './protocol/resource.ts'
import type { Schema } from './protocol/schema.ts'
import { unknown, type Value } from './protocol/value.ts'
import { check } from './resources/check.ts'
import { notificationChannel } from './resources/notification-channel.ts'
import { valueOf } from './resources/settle.ts'
import { statusPageComponent } from './resources/status-page-component.ts'
import { statusPage } from './resources/status-page.ts'
import { withoutEnd } from '@probe-mesh/runtime/without-end'

export const apiUrlDefault = 'http://127.0.0.1:8080/v1'

const schema: Schema = {
  version: 0,
  description:
    'Manages checks, status pages, their components and notification channels through the REST API. Needs a `read_write` key of a Growth or Scale account; a `read` key is enough to plan.',
  attributes: {
    api_key: {
      type: 'string',
      presence: 'optional',
      description: 'The API key. Defaults to the environment variable `SERVICE_API_KEY`.',
      isSensitive: true,
    },
    base_url: {
      type: 'string',
      presence: 'optional',
      description: `The root of the REST API. Defaults to the environment variable \`SERVICE_API_URL\`, then to \`${apiUrlDefault}\`. An address without a path gets \`/v1\`.`,
    },
  },
}

type ProviderOptions = {
  environment: Readonly<Record<string, string | undefined>>
} & Pick<ApiOptions, 'exchange' | 'patience'>

/** The provider, for the server that implements the protocol. */
export const createProvider = ({ environment, ...how }: ProviderOptions): Provider<Api> => ({
  schema,
  resources: [check, statusPage, statusPageComponent, notificationChannel],
  dataSources: [statusPageData],
  configure: async (config, context) => {
    const apiUrl = readUrl(valueOf(config, 'base_url'), environment['SERVICE_API_URL'])
    const apiKey = readKey(valueOf(config, 'api_key'), environment['SERVICE_API_KEY'])
    if (typeof apiUrl === 'string' && typeof apiKey === 'string') {
      const client = createApi({ apiUrl, apiKey, environment, ...how })
      const [problem] = await Promise.all([refuseConnection(client, apiUrl, context), loadRules()])
      return problem === null ? { client } : { diagnostics: [problem] }
    }
    return { diagnostics: [apiKey, apiUrl].filter((each) => typeof each !== 'string') }
  },
})

/** The process does nothing else while it loads them, so the request leaves first. */
const sendMs = 2

/** The rules that nearly every plan validates by next, loaded while the API answers. */
const loadRules = async (): Promise<void> => {
  await pause(sendMs)
  await import('./resources/check-rules.ts')
}

/**
 * A server that is not there, or a key that it refuses, is one error here instead of one for each resource. The
 * listing that shows it is the one that reads of checks share.
 */
const refuseConnection = async (
  client: Api,
  apiUrl: string,
  context: CallContext,
): Promise<Diagnostic | null> => {
  const listed = await client.checks(context)
  if (listed.ok) return null
  const { code, message } = listed.failure
  if (code === null) {
    const hint = 'Check base_url of the provider, or SERVICE_API_URL.'
    return errorAt(['base_url'], 'The API does not answer', `${apiUrl}: ${message}\n\n${hint}`)
  }
  // what passes by itself stops no plan
  if (!refusalsOfKey.has(code)) return null
  const hint = 'Check api_key of the provider, or SERVICE_API_KEY.'
  return errorAt(['api_key'], `The API refuses the key (${code})`, `${message}\n\n${hint}`)
}

const refusalsOfKey: ReadonlySet<string> = new Set(['SV-1001', 'SV-1002', 'SV-1003', 'SV-1012'])

const notKnownYet = (name: string): Diagnostic =>
  errorAt(
    [name],
    'The provider configuration is not known yet',
    `${name}: depends on values that are known only after apply. Set a value that is known when planning, or apply its dependencies first with -target.`,
  )

/** @returns the root of the API without a slash at the end */
const readUrl = (configured: Value, fromEnvironment: string | undefined): string | Diagnostic => {
  if (configured === unknown) return notKnownYet('base_url')
  const given = typeof configured === 'string' ? configured : fromEnvironment || apiUrlDefault
  const url = parseUrl(given)
  const isPlain = url !== null && `${url.username}${url.password}${url.search}${url.hash}` === ''
  if (!isPlain || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return errorAt(
      ['base_url'],
      'Invalid API URL',
      `base_url, or SERVICE_API_URL: must be an http or https URL without a user name, a password or a query, such as ${apiUrlDefault}`,
    )
  }
  return url.pathname === '/' ? `${url.origin}/v1` : withoutEnd(url.href, '/')
}

/** Reports a key that is cut or mistyped before any request. No message repeats the key. */
const readKey = (configured: Value, fromEnvironment: string | undefined): string | Diagnostic => {
  if (configured === unknown) return notKnownYet('api_key')
  const key = (typeof configured === 'string' ? configured : (fromEnvironment ?? '')).trim()
  if (apiKeyScope(key) !== null) return key
  const from = typeof configured === 'string' ? 'api_key' : 'SERVICE_API_KEY'
  return key === ''
    ? errorAt(['api_key'], 'No API key', 'Set api_key of the provider, or SERVICE_API_KEY.')
    : errorAt(
        ['api_key'],
        'Invalid API key',
        `${from}: the key is cut or mistyped (${key.length} characters). A key is sv_r_ or sv_rw_ and 49 letters and digits.`,
      )
}
