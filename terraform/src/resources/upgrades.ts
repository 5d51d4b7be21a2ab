import type { Resource } from '../protocol/resource.ts'

/** Version 0 held the same under the same names; what it lacks is null until it is read. */
export const asBefore: NonNullable<Resource<never>['upgrades']> = { 0: (stored) => stored }
