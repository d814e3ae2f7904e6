/** Prefixes of the lines that compile.ts writes. The driver prints its own lines between them. */
export const DRIVER_MARK = 'CELLSTORM DRIVER ';
export const KERNEL_MARK = 'CELLSTORM KERNEL ';
