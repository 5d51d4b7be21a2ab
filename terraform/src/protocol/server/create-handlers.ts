import type { Provider } from '../resource.ts'
import type { ProviderHandlers } from '../wire/messages.ts'
import { applyResourceChange } from './apply-resource-change.ts'
import { configureCalls } from './configure.ts'
import { describeCalls } from './describe.ts'
import { importResourceState } from './import-resource-state.ts'
import { planResourceChange } from './plan-resource-change.ts'
import { readDataSource } from './read-data-source.ts'
import { readResource } from './read-resource.ts'
import type { ServerCapabilities, Session } from './session.ts'
import { upgradeResourceState } from './upgrade-resource-state.ts'
import { validateCalls } from './validate.ts'

/**
 * The calls of the protocol, answered by a provider. What a provider does wrong is a diagnostic, and
 * no call throws; the calls that are not here are not implemented, and the wire says so.
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
