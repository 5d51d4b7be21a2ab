const mebibytes = (count: number): number => count * 1024 * 1024

/**
 * Server settings of the engine for one machine: few idle threads and small caches. By default it keeps a thousand
 * idle threads, and caches of several GB.
 */
const settings: Readonly<Record<string, number>> = {
  max_thread_pool_free_size: 8,
  max_io_thread_pool_size: 8,
  max_active_parts_loading_thread_pool_size: 2,
  max_outdated_parts_loading_thread_pool_size: 1,
  max_parts_cleaning_thread_pool_size: 2,
  load_marks_threadpool_pool_size: 2,
  prefetch_threadpool_pool_size: 2,
  threadpool_local_fs_reader_pool_size: 4,
  threadpool_writer_pool_size: 4,
  mark_cache_size: mebibytes(64),
  index_mark_cache_size: mebibytes(16),
  primary_index_cache_size: mebibytes(64),
  compiled_expression_cache_size: mebibytes(16),
  query_condition_cache_size: mebibytes(16),
}

/** `config.xml` of the engine, which it reads from its working directory. */
export const engineSettings = `<clickhouse>
${Object.entries(settings)
  .map(([name, value]) => `  <${name}>${value}</${name}>\n`)
  .join('')}</clickhouse>
`
