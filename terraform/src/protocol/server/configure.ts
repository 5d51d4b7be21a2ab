import type { ProviderHandlers, Response } from '../wire/messages.ts'
import { answer } from './answer.ts'
import { toMessages } from './diagnostic-message.ts'
import { contextOf, decodeConfig } from './session.ts'
import type { Session } from './session.ts'

/** The start of what speaks to the service, and its end. */
export const configureCalls = <Client>(
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
