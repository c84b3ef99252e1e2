//===- LRUCache.h - A bounded map that forgets the least used ---*- C++ -*-===//
//
// Part of moe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MOE_RUNTIME_SUPPORT_LRUCACHE_H
#define MOE_RUNTIME_SUPPORT_LRUCACHE_H

#include <cstddef>
#include <iterator>
#include <list>
#include <utility>

namespace moe::runtime {

/// Holds at most `capacity` entries. It is searched from the most to the least
/// recently used one, which is the fastest way for the few entries it is for.
template <typename Key, typename Value> class LRUCache {
public:
  explicit LRUCache(size_t capacity) : capacity(capacity) {}

  /// The entry of `key`, now the most recently used one, or null.
  Value *find(const Key &key) {
    for (auto it = entries.begin(); it != entries.end(); ++it) {
      if (it->first == key) {
        entries.splice(entries.begin(), entries, it);
        return &entries.front().second;
      }
    }
    return nullptr;
  }

  /// Adds an entry for a key that has none; the least recently used entry goes
  /// when the cache was full.
  Value &insert(Key key, Value value) {
    makeRoom();
    entries.emplace_front(std::move(key), std::move(value));
    return entries.front().second;
  }

  /// Removes the least recently used entry of a full cache, so that what it
  /// holds is free before the new entry is made.
  void makeRoom() {
    while (entries.size() >= capacity && !entries.empty())
      entries.pop_back();
  }

  void clear() { entries.clear(); }
  size_t size() const { return entries.size(); }

private:
  size_t capacity;
  std::list<std::pair<Key, Value>> entries;
};

} // namespace moe::runtime

#endif // MOE_RUNTIME_SUPPORT_LRUCACHE_H
