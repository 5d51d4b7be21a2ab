import type { TestContext } from 'vitest'

/** The type of annotation for a test's measurements. */
export const figureType = 'figure'

/** Records a measurement of a test for its output and the fault report. */
export const recordFigure = async (
  { annotate }: Pick<TestContext, 'annotate'>,
  text: string,
): Promise<void> => {
  console.info(text)
  await annotate(text, figureType)
}
