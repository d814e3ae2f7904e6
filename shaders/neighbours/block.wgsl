// Counts the cells of a block. Works with each block_*.wgsl in this folder and in shaders/levels.
// Needs: Block.

fn cells_in(block: Block) -> u32 {
  return block.length.x * block.length.y * select(1u, block.length[DIMENSIONS - 1u], DIMENSIONS == 3u);
}
