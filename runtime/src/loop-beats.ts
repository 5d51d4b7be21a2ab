/**
 * What the watch of the loop and its thread share, in a file of its own: the thread of each program loads nothing else
 * of ours. In shared memory, by index: beats, and the CPU time of the main thread at the last one, ms.
 */
export const beatAt = 0
export const cpuAt = 1
/** What the thread asks the main thread, while that is busy. */
export const question = `globalThis[Symbol.for('probe-mesh.loop')]?.()`
