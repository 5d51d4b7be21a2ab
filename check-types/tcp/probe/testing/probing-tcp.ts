import type { SettingsAssignment } from '@probe-mesh/contracts/mesh/assignment'
import type { Probed, ProbeCapabilities } from '@probe-mesh/probe-agent/src/probes/probe'
import { TcpSettings } from '../../settings.ts'
import { probeTcp } from '../probe-tcp.ts'
import { assignmentBase, capabilitiesOf, withDeadline, type Asking } from './probing.ts'

/** One attempt of a tcp check at a server of the test, on 127.0.0.1 unless the settings name another host. */
export const probe = (
  settings: Partial<TcpSettings> & { port: number },
  asking: Asking = {},
  more: Partial<ProbeCapabilities> = {},
): Promise<Probed> => {
  const parsed = TcpSettings.parse({ host: '127.0.0.1', ...settings })
  const assignment: SettingsAssignment<'tcp'> = { ...assignmentBase, type: 'tcp', settings: parsed }
  return withDeadline(asking, (context) => probeTcp(assignment, context, capabilitiesOf(more)))
}

export const up = { verdict: 'up', fault: 'none', cause: 'ok', reason: null }
export const down = (cause: string, reason: string) => ({
  verdict: 'down',
  fault: 'target',
  cause,
  reason,
})
