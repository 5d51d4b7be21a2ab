import { failsLike, strongestFactor, type ObservedService } from './shared-factors.ts'

/** The smallest number of unrelated vendors that must be silent at once. */
const unrelatedMin = 5
const unrelatedShareMin = 0.05

/**
 * The services whose silence may come from this machine's own network: many unrelated services are silent at
 * once, and all they share is this machine. Empty if fewer are silent, or if a shared factor explains them. A
 * wrong answer came from the service, so it is never blamed on the network (S-1224).
 * @param services as one machine sees them, whatever regions it measures for
 */
export const ownNetworkSuspects = (services: readonly ObservedService[]): ReadonlySet<string> => {
  const silent = services.filter(isSilent)
  const known = services.filter(({ health }) => health !== 'unknown').length
  const unrelated = countVendors(withoutFactors(silent, services))
  const enough = Math.max(unrelatedMin, known * unrelatedShareMin)
  return new Set(unrelated < enough ? [] : silent.map(({ slug }) => slug))
}

const isSilent = ({ failures }: ObservedService): boolean =>
  failures.length > 0 && failures.every(({ mode }) => mode === 'no_answer' || mode === 'dns')

/** The silent services that the strongest factor does not explain. */
const withoutFactors = (
  silent: readonly ObservedService[],
  services: readonly ObservedService[],
): ObservedService[] => {
  const suspect = strongestFactor(services)
  if (suspect === null) return [...silent]
  const { factor } = suspect
  return silent.filter(
    (service) =>
      !failsLike(service, factor) ||
      !service.factors.some(({ kind, name }) => kind === factor.kind && name === factor.name),
  )
}

const countVendors = (services: readonly ObservedService[]): number =>
  new Set(services.map(({ vendor, slug }) => vendor ?? `:${slug}`)).size
