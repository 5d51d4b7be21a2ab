import type { TestContext } from 'vitest'

/** The kind of annotation by which a test says what it measured. */
export const figureType = 'figure'

/** Prints what a test measured, and leaves it for the report of the faults. */
export const sayFigure = async ({ annotate }: Pick<TestContext, 'annotate'>, text: string): Promise<void> => {
  console.info(text)
  await annotate(text, figureType)
}
