import { fits, strongestFactor } from './shared-factors.ts'
import type { ObservedService } from './shared-factors.ts'

/** So many services that have nothing in common have to give no answer at once. */
const unrelatedMin = 5
const unrelatedShareMin = 0.05

/**
 * The services that give this machine no answer, where so many that have nothing to do with each other
 * do not: what they have in common then is this machine. Empty where fewer do, or where one thing that
 * they share explains them. An answer that is wrong was given by somebody, and is never doubted (S-1224).
 * @param services as one machine sees them, whatever regions it measures for
 */
export const doubtedServices = (services: readonly ObservedService[]): ReadonlySet<string> => {
  const silent = services.filter(isSilent)
  const known = services.filter(({ standing }) => standing !== 'unknown').length
  const unrelated = countVendors(withoutFactors(silent, services))
  const enough = Math.max(unrelatedMin, known * unrelatedShareMin)
  return new Set(unrelated < enough ? [] : silent.map(({ slug }) => slug))
}

const isSilent = ({ failures }: ObservedService): boolean =>
  failures.length > 0 && failures.every(({ sign }) => sign === 'silent' || sign === 'name')

/** What of the silent ones the factor does not explain that explains most. */
const withoutFactors = (
  silent: readonly ObservedService[],
  services: readonly ObservedService[],
): ObservedService[] => {
  const suspicion = strongestFactor(services)
  if (suspicion === null) return [...silent]
  const { factor } = suspicion
  return silent.filter(
    (service) =>
      !fits(service, factor) ||
      !service.factors.some(({ kind, name }) => kind === factor.kind && name === factor.name),
  )
}

const countVendors = (services: readonly ObservedService[]): number =>
  new Set(services.map(({ vendor, slug }) => vendor ?? `:${slug}`)).size
