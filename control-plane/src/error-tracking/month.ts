/** A month of UTC as counts are kept by it: its first day, such as `2026-11-01`. */
export const monthOf = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 7)}-01`
