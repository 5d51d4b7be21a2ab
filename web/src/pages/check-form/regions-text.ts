/** Several checkboxes with one name are submitted as one text. */
export const joinRegions = (regions: readonly string[]): string => regions.join(',')
export const splitRegions = (text: string | undefined): string[] =>
  (text ?? '').split(',').filter((region) => region !== '')
