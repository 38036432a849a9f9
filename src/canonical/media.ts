import type { MediaBlock } from './model.ts'

/** Stands where a medium was that a wire has no place for. */
export const leftOut = ({ mediaType, source, name }: MediaBlock): string =>
  `[${[mediaType || 'file', name, 'url' in source ? source.url : undefined].filter(Boolean).join(' ')} left out]`
