/** Several boxes of one name stand in what was typed as one text. */
export const joinRegions = (regions: readonly string[]): string => regions.join(',')
export const splitRegions = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((region) => region !== '')
