import type { Moment, Scenario, ServiceExpected } from '../scenario.ts'
import type { Listed } from '../services.ts'

/** Services by numbers: `cdn-01`, `cdn-02`, ... */
export const numbered = (prefix: string, count: number, more: Omit<Listed, 'slug'> = {}): Listed[] =>
  Array.from({ length: count }, (_, index) => ({
    ...more,
    slug: `${prefix}-${String(index + 1).padStart(2, '0')}`,
  }))

/** The same change and expectation for all services, from an act on. */
export type MomentOfAll = {
  set?: NonNullable<Moment['set']>[string]
  expect: ServiceExpected
  verify?: NonNullable<Moment['verify']>
}

/** A scenario of services with the same behaviour, by act. */
export const alike = (
  name: string,
  services: readonly Listed[],
  acts: Readonly<Record<string, MomentOfAll>>,
): Scenario => ({
  name,
  services,
  moments: Object.fromEntries(
    Object.entries(acts).map(([act, { set, expect, verify }]): [string, Moment] => [
      act,
      {
        ...(set === undefined ? {} : { set: ofAll(services, set) }),
        services: ofAll(services, expect),
        ...(verify === undefined ? {} : { verify }),
      },
    ]),
  ),
})

const ofAll = <T>(services: readonly Listed[], value: T): Record<string, T> =>
  Object.fromEntries(services.map(({ slug }) => [slug, value]))
