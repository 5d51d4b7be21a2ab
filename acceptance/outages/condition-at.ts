import {
  failures,
  vantages,
  type Condition,
  type Failure,
  type Layer,
  type Vantage,
  type World,
} from './world.ts'

/** The faults of a network between one region and one service, by layer; null: the layer works. */
export type NetworkState = Readonly<Record<Layer, Played | null>>
type Played = { fails: Failure; status: number | null; share: number }

const msPerSecond = 1_000
const works: NetworkState = { names: null, connection: null, answer: null }

/** @param service its slug; services outside the world work */
export const conditionAt = (world: World, region: Vantage, service: string, nowMs: number): NetworkState => {
  const played = conditionsOf(world, region, service, nowMs)
    .filter((condition) => !isWorkingPhase(condition, nowMs))
    .map(({ fails, status = null, share }) => [layerOf(fails), { fails, status, share }])
  return { ...works, ...(Object.fromEntries(played) as Partial<NetworkState>) }
}

/** The next start, end or flap of a condition; null: none. */
export const nextChangeMs = ({ conditions }: World, nowMs: number): number | null => {
  const changes = conditions.flatMap((condition) => [
    condition.from,
    condition.until,
    ...flapsAfter(condition, nowMs),
  ])
  const next = Math.min(...changes.filter((atMs) => atMs > nowMs))
  return Number.isFinite(next) ? next : null
}

/** The result of one region's requests around an instant. */
export type Met = 'works' | 'partly' | 'fails'

export const metAt = (world: World, region: Vantage, service: string, nowMs: number): Met => {
  const active = conditionsOf(world, region, service, nowMs)
  if (active.length === 0) return 'works'
  return active.some(({ share, flaps }) => share === 1 && flaps === undefined) ? 'fails' : 'partly'
}

export const metEverywhere = (world: World, service: string, nowMs: number): Met[] =>
  vantages.map((region) => metAt(world, region, service, nowMs))

export const layerOf = (failure: Failure): Layer => {
  const layers = Object.entries(failures) as [Layer, readonly Failure[]][]
  return layers.find(([, all]) => all.includes(failure))?.[0] ?? 'answer'
}

const conditionsOf = ({ conditions }: World, region: Vantage, service: string, nowMs: number): Condition[] =>
  conditions.filter(
    ({ from, until, services, regions }) =>
      from <= nowMs && nowMs < until && services.includes(service) && regions.includes(region),
  )

const isWorkingPhase = ({ from, flaps }: Condition, nowMs: number): boolean => {
  if (flaps === undefined) return false
  const failsMs = flaps.failsSeconds * msPerSecond
  return (nowMs - from) % (failsMs + flaps.worksSeconds * msPerSecond) >= failsMs
}

const flapsAfter = ({ from, until, flaps }: Condition, nowMs: number): number[] => {
  if (flaps === undefined || nowMs < from || nowMs >= until) return []
  const failsMs = flaps.failsSeconds * msPerSecond
  const periodMs = failsMs + flaps.worksSeconds * msPerSecond
  const beganMs = nowMs - ((nowMs - from) % periodMs)
  return [beganMs + failsMs, beganMs + periodMs].filter((atMs) => atMs < until)
}
