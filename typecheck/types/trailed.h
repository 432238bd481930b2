// Containers whose changes can be rolled back. While a mark is open, they record the values that changes replace;
// without a mark, they cost no more than the standard containers. Marks nest: the last one set is the first one rolled
// back or released. Releasing a mark keeps the changes since; an outer mark can still roll them back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace axle {

// A vector that grows at its end and whose elements change in place.
template <class T>
class Trailed {
 public:
  struct Mark {
    std::size_t size, replaced;
  };

  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t i) const { return values_[i]; }
  const T& back() const { return values_.back(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  void push_back(T value) { values_.push_back(std::move(value)); }
  // Returns the element for modification. Valid until the vector grows.
  T& edit(std::size_t i) {
    if (marks_) replaced_.emplace_back(i, values_[i]);
    return values_[i];
  }

  Mark mark() {
    ++marks_;
    return {values_.size(), replaced_.size()};
  }
  void rollback(const Mark& to) noexcept {
    for (; replaced_.size() > to.replaced; replaced_.pop_back())
      values_[replaced_.back().first] = std::move(replaced_.back().second);
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(to.size), values_.end());
    release();
  }
  void release() noexcept {
    if (--marks_ == 0) replaced_.clear();
  }

 private:
  std::vector<T> values_;
  std::vector<std::pair<std::size_t, T>> replaced_;
  std::size_t marks_ = 0;
};

// A list that grows at its end, or is replaced as a whole.
template <class T>
class TrailedList {
 public:
  struct Mark {
    std::size_t size, replaced;
  };

  std::size_t size() const { return values_.size(); }
  const T& operator[](std::size_t i) const { return values_[i]; }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

  void push_back(T value) { values_.push_back(std::move(value)); }
  void replace(std::vector<T> values) {
    if (marks_) replaced_.push_back(std::move(values_));
    values_ = std::move(values);
  }

  Mark mark() {
    ++marks_;
    return {values_.size(), replaced_.size()};
  }
  void rollback(const Mark& to) noexcept {
    if (replaced_.size() > to.replaced) {
      values_ = std::move(replaced_[to.replaced]);
      replaced_.erase(replaced_.begin() + static_cast<std::ptrdiff_t>(to.replaced), replaced_.end());
    }
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(to.size), values_.end());
    release();
  }
  void release() noexcept {
    if (--marks_ == 0) replaced_.clear();
  }

 private:
  std::vector<T> values_;
  std::vector<std::vector<T>> replaced_;
  std::size_t marks_ = 0;
};

// First in, first out.
template <class T>
class TrailedQueue {
 public:
  struct Mark {
    std::size_t size, first;
  };

  bool empty() const { return first_ == values_.size(); }
  auto begin() const { return values_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const { return values_.end(); }
  void push(T value) { values_.push_back(std::move(value)); }
  T pop() {
    T value = values_[first_++];
    if (marks_ == 0 && empty()) {
      values_.clear();
      first_ = 0;
    }
    return value;
  }

  Mark mark() {
    ++marks_;
    return {values_.size(), first_};
  }
  void rollback(const Mark& to) noexcept {
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(to.size), values_.end());
    first_ = to.first;
    release();
  }
  void release() noexcept { --marks_; }

 private:
  std::vector<T> values_;  // those before `first_` are removed
  std::size_t first_ = 0, marks_ = 0;
};

// A map that only grows.
template <class Key, class Value>
class TrailedMap {
 public:
  struct Mark {
    std::size_t inserted;
  };

  const Value* find(const Key& key) const {
    auto it = values_.find(key);
    return it == values_.end() ? nullptr : &it->second;
  }
  void insert(Key key, Value value) {
    auto [it, isNew] = values_.emplace(std::move(key), std::move(value));
    if (isNew && marks_) inserted_.push_back(it);
  }

  Mark mark() {
    ++marks_;
    return {inserted_.size()};
  }
  void rollback(const Mark& to) noexcept {
    for (; inserted_.size() > to.inserted; inserted_.pop_back()) values_.erase(inserted_.back());
    release();
  }
  void release() noexcept {
    if (--marks_ == 0) inserted_.clear();
  }

 private:
  std::map<Key, Value> values_;
  std::vector<typename std::map<Key, Value>::iterator> inserted_;
  std::size_t marks_ = 0;
};

// Lists by index; each grows at its end or is emptied.
template <class T>
class TrailedLists {
 public:
  struct Mark {
    std::size_t size, changes;
  };

  std::size_t size() const { return lists_.size(); }
  const std::vector<T>& operator[](std::size_t i) const { return lists_[i]; }
  void addList() { lists_.emplace_back(); }
  void push_back(std::size_t i, T value) {
    lists_[i].push_back(std::move(value));
    if (marks_) changes_.push_back({i, true, {}});
  }
  // Empties the list.
  void clear(std::size_t i) {
    if (marks_) changes_.push_back({i, false, std::move(lists_[i])});
    lists_[i].clear();
  }

  Mark mark() {
    ++marks_;
    return {lists_.size(), changes_.size()};
  }
  void rollback(const Mark& to) noexcept {
    for (; changes_.size() > to.changes; changes_.pop_back()) {
      Change& last = changes_.back();
      if (last.isPush)
        lists_[last.list].pop_back();
      else
        lists_[last.list] = std::move(last.before);
    }
    lists_.erase(lists_.begin() + static_cast<std::ptrdiff_t>(to.size), lists_.end());
    release();
  }
  void release() noexcept {
    if (--marks_ == 0) changes_.clear();
  }

 private:
  struct Change {
    std::size_t list;
    bool isPush;
    std::vector<T> before;  // of a list that was emptied
  };

  std::vector<std::vector<T>> lists_;
  std::vector<Change> changes_;
  std::size_t marks_ = 0;
};

}  // namespace axle
