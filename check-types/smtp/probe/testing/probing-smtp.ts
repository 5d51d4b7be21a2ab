import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { SmtpSettings } from '../../settings.ts'
import { resolverOf } from '@probe-mesh/probe-agent/src/request/testing/ask'
import type { Probed, ProbeCapabilities } from '@probe-mesh/probe-agent/src/probes/probe'
import {
  assignmentBase,
  capabilitiesOf,
  withDeadline,
  type Asking,
} from '../../../tcp/probe/testing/probing.ts'
import { probeSmtp } from '../probe-smtp.ts'

/** One attempt at a mail server of the test, as `localhost`, for which any port is allowed. */
export const probe = (
  settings: Partial<SmtpSettings> & { port: number },
  asking: Asking = {},
  more: Partial<ProbeCapabilities> = {},
): Promise<Probed> => {
  const parsed = SmtpSettings.parse({ host: 'mx.localhost', ...settings })
  const assignment: SettingsAssignment<'smtp'> = { ...assignmentBase, type: 'smtp', settings: parsed }
  const capabilities = capabilitiesOf({ resolver: resolverOf({}), ...more })
  return withDeadline(asking, (context) => probeSmtp(assignment, context, capabilities))
}

export const up = { verdict: 'up', fault: 'none', cause: 'ok', reason: null }
export const down = (cause: string, reason: string) => ({
  verdict: 'down',
  fault: 'target',
  cause,
  reason,
})
