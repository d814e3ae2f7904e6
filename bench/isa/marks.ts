/** Prefixes of the lines that compile.ts writes. The driver prints its own lines between them. */
export const DRIVER_MARK = 'CELLSTORM DRIVER ';
export const KERNEL_MARK = 'CELLSTORM KERNEL ';
/** Follows the mark of a kernel that equals an earlier one, and names that one. */
export const EQUAL_MARK = 'CELLSTORM EQUALS';
