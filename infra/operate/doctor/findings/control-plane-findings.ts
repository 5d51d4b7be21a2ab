import type { KnownControlPlane } from '@probe-mesh/control-plane/mesh/doctor-facts-store'
import { broken, ok, shownAge, warning, type Finding } from './finding.ts'

const topic = 'control planes'
/** A control plane renews its session each second, and begins a new one within seconds. */
const silentMsMax = 30_000

/** The process of a control plane, as far as this machine can see it. */
export type ProcessState = 'stopped' | 'running' | 'none' | 'elsewhere'

/**
 * Findings about the control planes: which run, which ended without a stop or are frozen, and whether their
 * REGIONS agree.
 * @param stateOf the process of a control plane
 */
export const controlPlaneFindings = (
  known: readonly KnownControlPlane[],
  stateOf: (one: KnownControlPlane) => ProcessState,
): Finding[] => {
  const live = known.filter(({ silentMs }) => silentMs < silentMsMax)
  const silent = known.filter(({ silentMs }) => silentMs >= silentMsMax)
  return [
    ...(live.length === 0 ? [] : [ok(topic, `${live.length} run: ${live.map(nameOf).join(', ')}`)]),
    ...silent.map((one) => silentFinding(one, stateOf(one))),
    ...regionsFindings(live),
  ]
}

const nameOf = ({ id, about }: KnownControlPlane): string =>
  about === null ? id : `${about.host}:${about.port} (${about.version})`

const silentFinding = (one: KnownControlPlane, state: ProcessState): Finding => {
  const { id, silentMs, about } = one
  const age = shownAge(silentMs)
  const forget = `If it was removed for good: psql "$DATABASE_URL" -c "delete from control_planes where id = '${id}'"`
  const where = about === null ? '' : ` on ${about.host}`
  if (state === 'stopped' && about !== null) {
    return broken(
      topic,
      `The control plane ${nameOf(one)} is frozen for ${age}: its process ${about.pid} is stopped by a signal.`,
      `Let it continue: "kill -CONT ${about.pid}"${where}.`,
    )
  }
  return broken(
    topic,
    `The control plane ${nameOf(one)} has not renewed its session for ${age}: ${state === 'none' ? 'it ended without a stop' : 'it is frozen, dead or cut off from Postgres'}.`,
    `Start it again: "systemctl restart probe-mesh-control-plane"${where}${about === null || state === 'none' ? '' : `; its process was ${about.pid}`}. ${forget}`,
  )
}

const regionsFindings = (live: readonly KnownControlPlane[]): Finding[] => {
  const told = live.filter(({ about }) => about !== null)
  const sets = Map.groupBy(told, ({ about }) => (about?.regions ?? []).toSorted().join(','))
  if (sets.size <= 1) return []
  const all = [...new Set(told.flatMap(({ about }) => about?.regions ?? []))]
  const each = [...sets].map(([regions, those]) => `${those.map(nameOf).join(', ')}: ${regions}`)
  return [
    warning(
      topic,
      `The control planes have different REGIONS: ${each.join('; ')}.`,
      `Set REGIONS=${all.join(',')} on every control plane, and restart those that differ.`,
    ),
  ]
}
