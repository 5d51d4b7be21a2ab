import type { CheckConfig } from '@probe-mesh/contracts/check/check-config'
import { typeOf } from '@probe-mesh/contracts/check/types-with-settings'
import type { StoredConfig } from '../records/check/check-record.ts'
import type { Caller } from '../accounts/operations/context.ts'

/**
 * The settings of a check for an answer; null if only a newer version understands them. Texts that the check sends may
 * contain a password, so a read-only key learns only their length.
 */
export const shownConfig = (config: StoredConfig, scope: Caller['scope']): CheckConfig | null => {
  if (config.type === 'unknown') return null
  if (scope === 'read_write') return config
  switch (config.type) {
    case 'multistep':
      return { ...config, steps: config.steps.map((step) => ({ ...step, body: hidden(step.body) })) }
    case 'http': {
      const { request } = config
      if (request?.body === undefined) return config
      return { ...config, request: { ...request, body: hiddenText(request.body) } }
    }
    case 'heartbeat':
      return config
    default: {
      const settings = typeOf(config).hide?.(config.settings, hidden) ?? config.settings
      return { ...config, settings } as CheckConfig
    }
  }
}

const hidden = (text: string | null): string | null => (text === null ? null : hiddenText(text))

const hiddenText = (text: string): string => `(${text.length} characters, hidden from read-only keys)`
