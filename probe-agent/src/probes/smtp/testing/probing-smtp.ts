import type { SmtpAssignment } from '@probe-mesh/contracts/mesh/assignment'
import { SmtpSettings } from '@probe-mesh/contracts/check/probe-settings'
import { resolverOf } from '../../../request/testing/ask.ts'
import type { Probed, ProbeCapabilities } from '../../probe.ts'
import { assignmentBase, capabilitiesOf, withDeadline, type Asking } from '../../tcp/testing/probing.ts'
import { probeSmtp } from '../probe-smtp.ts'

/** One attempt at a mail server of the test, as `localhost`, for which any port is allowed. */
export const probe = (
  settings: Partial<SmtpSettings> & { port: number },
  asking: Asking = {},
  more: Partial<ProbeCapabilities> = {},
): Promise<Probed> => {
  const parsed = SmtpSettings.parse({ host: 'mx.localhost', ...settings })
  const assignment: SmtpAssignment = { ...assignmentBase, type: 'smtp', settings: parsed }
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
