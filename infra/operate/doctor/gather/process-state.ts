import { existsSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import type { KnownControlPlane } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import type { ProcessState } from '../findings/control-plane-findings.ts'

/** The state of a control plane's process, if it runs on this machine. */
export const processStateOf = ({ about }: KnownControlPlane): ProcessState => {
  if (about === null || about.host !== hostname() || !existsSync('/proc/self/stat')) return 'elsewhere'
  try {
    // pid (command) state ...: the command may contain any characters
    const stat = readFileSync(`/proc/${about.pid}/stat`, 'utf8')
    return stat.charAt(stat.lastIndexOf(')') + 2) === 'T' ? 'stopped' : 'running'
  } catch {
    return 'none'
  }
}
