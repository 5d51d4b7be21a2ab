import type { Provider, Resource } from '../resource.ts'
import type { ProviderHandlers, Response, DynamicValue } from '../wire/messages.ts'
import { answer, toMessages } from './answer.ts'
import { applyResourceChange } from './apply-resource-change.ts'
import { describeCalls } from './describe.ts'
import { planResourceChange } from './plan-resource-change.ts'
import { importResourceState, readDataSource, readResource } from './read.ts'
import {
  contextOf,
  decodeConfig,
  dataSourceOf,
  resourceOf,
  type ServerCapabilities,
  type Session,
} from './session.ts'
import { upgradeResourceState } from './upgrade-resource-state.ts'
import type { Diagnostic } from '../diagnostic.ts'
import { refuseWriteOnly, validateConfig } from '../plan/validate-config.ts'
import type { Schema } from '../schema.ts'
import type { ObjectValue } from '../value.ts'

type Validated = Pick<Resource<never>, 'schema' | 'validate'>

/** Validates configurations without the service: `terraform validate` needs no key. */
const validateCalls = (
  session: Session<unknown>,
): Pick<
  ProviderHandlers,
  'validateProviderConfig' | 'validateResourceConfig' | 'validateDataResourceConfig'
> => {
  const validate = (
    call: { signal: AbortSignal },
    find: () => Validated,
    encoded: DynamicValue | null,
    more: (schema: Schema, config: ObjectValue) => Diagnostic[] = () => [],
  ) =>
    answer<Response<'validateResourceConfig'>>(contextOf(session, call), {}, async () => {
      const validated = find()
      const config = decodeConfig(session, validated.schema, encoded)
      const rule = validated.validate?.bind(validated)
      const found = await validateConfig(validated.schema, config, rule)
      return { diagnostics: toMessages([...found, ...more(validated.schema, config)]) }
    })
  return {
    validateProviderConfig: ({ config }, call) => {
      const { schema } = session.provider
      return validate(call, () => ({ schema }), config)
    },
    validateResourceConfig: ({ typeName, config, clientCapabilities }, call) => {
      const isSafe = clientCapabilities?.writeOnlyAttributesAllowed === true
      return validate(call, () => resourceOf(session, typeName), config, isSafe ? undefined : refuseWriteOnly)
    },
    validateDataResourceConfig: ({ typeName, config }, call) =>
      validate(call, () => dataSourceOf(session, typeName), config),
  }
}

/**
 * The handlers of the protocol's calls for a provider. An error of the provider is a diagnostic; no handler
 * throws. Any other call is answered as unimplemented.
 */
export const createHandlers = <Client>(
  provider: Provider<Client>,
  capabilities: ServerCapabilities,
): ProviderHandlers => {
  const stop = new AbortController()
  const session: Session<Client> = { ...capabilities, provider, stop, client: null }
  return {
    ...describeCalls(session),
    ...validateCalls(session),
    ...configureCalls(session),
    upgradeResourceState: upgradeResourceState(session),
    importResourceState: importResourceState(session),
    readResource: readResource(session),
    planResourceChange: planResourceChange(session),
    applyResourceChange: applyResourceChange(session),
    readDataSource: readDataSource(session),
  }
}

/** Creates the API client, and stops its calls. */
const configureCalls = <Client>(
  session: Session<Client>,
): Pick<ProviderHandlers, 'configureProvider' | 'stopProvider'> => ({
  configureProvider({ terraformVersion, config }, call) {
    const context = contextOf(session, call)
    return answer<Response<'configureProvider'>>(context, {}, async () => {
      const { provider } = session
      const decoded = decodeConfig(session, provider.schema, config)
      const configured = await provider.configure(decoded, { ...context, terraformVersion })
      if ('diagnostics' in configured) return { diagnostics: toMessages(configured.diagnostics) }
      session.client = configured.client
      return {}
    })
  },
  async stopProvider() {
    session.stop.abort()
    return { error: '' }
  },
})
