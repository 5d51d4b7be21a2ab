import fc, { type Arbitrary, type IAsyncProperty, type IProperty, type Parameters } from 'fast-check'

type Arbitraries<Values> = { [Index in keyof Values]: Arbitrary<Values[Index]> }
type Holds<Values extends unknown[], Answer> = (...values: Values) => Answer
/** What fast-check takes, as `{ numRuns }`, may stand before what holds. */
type More<Values extends unknown[], Answer> =
  | [Holds<Values, Answer>]
  | [Parameters<Values>, Holds<Values, Answer>]

/** Whether something holds for all values. @throws Error with the smallest values for which it does not */
export const forAll = <Values extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Values>,
  ...more: More<Values, boolean | void>
): void => {
  const [parameters, holds] = more.length === 2 ? more : [{}, more[0]]
  const all: IProperty<Values> = Reflect.apply(fc.property, fc, [...arbitraries, holds])
  fc.assert(all, parameters)
}

/** The same of something that takes time. */
export const forAllAsync = async <Values extends [unknown, ...unknown[]]>(
  arbitraries: Arbitraries<Values>,
  ...more: More<Values, Promise<boolean | void>>
): Promise<void> => {
  const [parameters, holds] = more.length === 2 ? more : [{}, more[0]]
  const all: IAsyncProperty<Values> = Reflect.apply(fc.asyncProperty, fc, [...arbitraries, holds])
  await fc.assert(all, parameters)
}
