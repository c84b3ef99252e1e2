//===- LRUCacheTest.cpp - The bounded map ---------------------------------===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/LRUCache.h"

#include <gtest/gtest.h>
#include <string>

using moe::runtime::LRUCache;

TEST(LRUCacheTest, ForgetsTheLeastRecentlyUsed) {
  LRUCache<int, std::string> cache(2);
  cache.insert(1, "one");
  cache.insert(2, "two");
  ASSERT_NE(cache.find(1), nullptr); // now 2 is the least recently used one
  cache.insert(3, "three");
  EXPECT_EQ(cache.find(2), nullptr);
  EXPECT_EQ(*cache.find(1), "one");
  EXPECT_EQ(*cache.find(3), "three");
  EXPECT_EQ(cache.size(), 2u);
}

TEST(LRUCacheTest, MakeRoomLeavesSpaceForOne) {
  LRUCache<int, int> cache(2);
  cache.insert(1, 10);
  cache.makeRoom();
  EXPECT_EQ(cache.size(), 1u);
  cache.insert(2, 20);
  cache.makeRoom();
  EXPECT_EQ(cache.size(), 1u);
  EXPECT_EQ(cache.find(1), nullptr);
}

TEST(LRUCacheTest, ClearForgetsAll) {
  LRUCache<int, int> cache(4);
  cache.insert(1, 10);
  cache.clear();
  EXPECT_EQ(cache.find(1), nullptr);
}
