/** The colours of the dashboard; `system`: those of the reader's device. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

/** A theme by its name; null for anything else. */
export const parseTheme = (text: string | null | undefined): Theme | null =>
  themes.find((theme) => theme === text) ?? null
