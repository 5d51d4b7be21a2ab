import type { Provider } from '../resource.ts'
import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer, toMessages } from './answer.ts'
import { applyResourceChange } from './apply-resource-change.ts'
import { describeCalls } from './describe.ts'
import { planResourceChange } from './plan-resource-change.ts'
import { importResourceState, readDataSource, readResource } from './read.ts'
import { contextOf, decodeConfig } from './session.ts'
import type { ServerCapabilities, Session } from './session.ts'
import { upgradeResourceState } from './upgrade-resource-state.ts'
import { validateCalls } from './validate.ts'

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
